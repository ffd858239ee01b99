// Runs of one's own that were measured, which move a prediction and narrow its interval.
//
//     measured: {step: 8.0 s}                                     the scenario as it is written
//     measured:
//       runs:
//         - {step: 8.0 s}
//         - {step: 4.1 s, set: {cluster.gpus: 64}}               the same but for these fields
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/resolve/scenario_text.h"
#include "planner/scenario/scenario.h"

namespace planner {

inline constexpr const char* kMeasured = "measured";

/// Reads the scenario's text with these overrides; nullopt: something is wrong (all of it diagnosed).
using ReadRun =
    std::function<std::optional<LoadedScenario>(const std::vector<dsl::Override>& overrides, dsl::Diagnostics&)>;

/// Takes `measured` out of the tree, plans each of its runs, and writes what they came to as software.errors.own. A
/// tree that has runs of its own there keeps them: whoever reads a row again hands them on. Diagnosed: a time that is
/// not above zero, a run that is of no closed scenario; a warning where a run is further from its plan than a model can
/// be.
void take_measured(dsl::Node& tree, const ScenarioText& text, const ReadRun& read, dsl::Diagnostics& diagnostics);

/// Returns the user's own runs in the form of `--set`. Empty: the user has none.
std::string own_set(const OwnRuns& own);

}  // namespace planner
