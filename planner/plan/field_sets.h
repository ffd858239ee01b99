// Fields with other values, and a scenario that is read again with them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// Fields and the values that they get, as `--set` takes them: {"parallelism.zero", "1"}.
using Sets = std::vector<std::pair<std::string, std::string>>;

/// Returns the scenario with these fields set in addition; nullopt: it could not be read.
using Reread = std::function<std::optional<LoadedScenario>(const Sets& sets)>;

}  // namespace planner
