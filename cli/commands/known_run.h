// The run that `search --from` holds the best layouts against.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/best_plans.h"

namespace cli {

struct KnownRun {
  planner::Found row;  // with its values of the search's choices
  planner::LoadedScenario loaded;
};

/// The run as it was written, before anything of it was opened. A run that has choices, and one whose layout does not
/// work, are diagnosed (absent). `choices`: paths. REQUIRES: the session's first source is the run's.
std::optional<KnownRun> known_run(const ScenarioFlags& written, const std::vector<std::string>& choices,
                                  Session& session);

}  // namespace cli
