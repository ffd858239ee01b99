// The user's own measured runs, which shift a prediction and narrow its interval.
//
//     measured: {step: 8.0 s}                                     the scenario as it is written
//     measured:
//       runs:
//         - {step: 8.0 s}
//         - {step: 4.1 s, set: {cluster.gpus: 64}}               the same except for these fields
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

/// Takes `measured` out of the tree, plans each of its runs, and writes the ratios of measured to planned time to
/// software.errors.own. A tree that already has own runs there keeps them, for callers that read a row again.
/// Diagnosed: a time that is not above zero, a run whose scenario is not closed. Warned of: a run further from its plan
/// than a model can be.
void take_measured(dsl::Node& tree, const ScenarioText& text, const ReadRun& read, dsl::Diagnostics& diagnostics);

/// Returns the user's own runs in the form of `--set`. Empty: the user has none.
std::string own_set(const OwnRuns& own);

}  // namespace planner
