// `--set PATH*=VALUE`, `/=`, `+=` and `-=`: what a scenario has, changed.
#pragma once

#include "planner/resolve/scenario_text.h"

namespace planner {

/// Applies the changes among the overrides to the finished tree: to what a file, the catalogue, a list of prices or a
/// recipe says, or to a field's default. Reports a field that has no value, or whose value is not a number.
void apply_changes(dsl::Node& tree, const ScenarioText& text, dsl::Diagnostics& diagnostics);

}  // namespace planner
