// Which fields of a scenario mean something in it, whatever program runs it.
#pragma once

#include <string_view>

#include "planner/scenario/scenario.h"

namespace planner::exporting {

/// Returns whether the field changes this plan: `parallelism.recompute_every` does not without full recompute.
bool is_relevant(std::string_view field, const Scenario& scenario);

/// Returns whether another field's setting, or its refusal, says this one too.
bool goes_with_another(std::string_view field);

/// Returns whether programs take the field as a setting: one of model, job, software or parallelism that is neither a
/// measured figure nor a name.
bool is_setting(const dsl::Field& field);

}  // namespace planner::exporting
