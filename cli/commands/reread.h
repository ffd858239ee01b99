// The command's scenario, read again with some fields set.
#pragma once

#include "cli/commands/common.h"
#include "planner/search/search.h"
#include "planner/studies/whatif/nearest.h"

namespace cli {

/// REQUIRES: the scenario is `session.sources.front()`; all outlive the result. Mistakes are not told again.
planner::Reread reread(const ScenarioFlags& flags, Session& session);

/// The scenario read again with its choices open, but for those that `flags` have chosen.
std::optional<planner::OpenScenario> reopen(const ScenarioFlags& flags, Session& session,
                                            dsl::Diagnostics& diagnostics);

/// Lengths that were found for a run, kept for all that is read after: sets that lay them over where they come from.
void keep_lengths(const planner::Lengths& lengths, ScenarioFlags& flags);

/// The choices of a plan that a search found, as `--set` takes them.
planner::Sets choice_sets(const std::vector<std::string>& names, const std::vector<dsl::Value>& choices);

}  // namespace cli
