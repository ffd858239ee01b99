// Modules of a layer that a scenario names and that do not go together, or that its model does not have.
#pragma once

#include <optional>
#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/scenario/techniques.h"

namespace planner {

/// The policy of a whole layer that `software.selective` names.
std::optional<Selective> layer_policy(const Software& software);
/// A policy of a whole layer beside another word; nothing to repeat; modules without a share that is offloaded.
std::optional<Lack> module_lack(const Scenario& scenario);
/// Modules that change nothing, since the model has none of them: one for each.
std::vector<Lack> idle_modules(const Scenario& scenario);

}  // namespace planner
