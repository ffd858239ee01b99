// Scenarios with open choices, for the commands that walk through them, and a command's scenario read again with some
// fields set.
#pragma once

#include <optional>

#include "cli/commands/common.h"
#include "planner/resolve/with_layout.h"
#include "planner/search/search.h"
#include "planner/studies/whatif/nearest.h"

namespace cli {

/// A scenario with the text that it was read from.
struct Opened {
  const dsl::Source* text = nullptr;
  std::optional<planner::OpenScenario> scenario;  // absent after a mistake (diagnosed)
  double candidates = 0;                          // of one shard, about
  std::vector<std::string> by_policy = {};        // paths that the layout policy opened
};

/// Reads a scenario with its choices open, and its layout too. `flags` then has sets for the fields that the policy
/// opens (planner::fields_to_open), around the existing ones. nullopt: diagnosed.
std::optional<planner::WithLayout> open_layout(const dsl::Source& source, planner::Opens opens, ScenarioFlags& flags,
                                               Session& session);

/// Of commands with SCENARIO or --from RUN: returns which is missing, or one too many; "": neither.
std::string wrong_source(const CommonFlags& common, const std::string& from);

/// Sets the batch and the tokens of a run that are formulas over its layout to what they are in it: another layout then
/// trains the same.
void keep_job(const dsl::Source& run, ScenarioFlags& flags, Session& session);

/// Reads the text of the command's scenario, or of the run (Opens::written); null: diagnosed.
const dsl::Source* open_text(const CommonFlags& common, Streams& streams, Session& session, planner::Opens opens);
/// Reads it with its choices open, and its layout too. `limit`: combinations that one of `shards` may have.
Opened load_open(const dsl::Source* text, ScenarioFlags& flags, Session& session, double limit, planner::Opens opens,
                 int64_t shards = 1);
/// Both.
Opened load_open(const CommonFlags& common, ScenarioFlags& flags, Streams& streams, Session& session, double limit,
                 planner::Opens opens, int64_t shards = 1);

/// "parallelism.tp=4 parallelism.pp=8", as --set takes them.
std::vector<std::string> sets_of(const std::vector<std::string>& names, const std::vector<dsl::Value>& values);

/// REQUIRES: the scenario is `session.sources.front()`; all outlive the result. Mistakes are not reported again.
planner::Reread reread(const ScenarioFlags& flags, Session& session);

/// What surrounds the scenario, read again likewise.
planner::Neighbours neighbours(const ScenarioFlags& flags, Session& session);

/// The plan of the command's scenario, with advice where it does not fit. REQUIRES: as of `reread`.
planner::Plan advised_plan(const planner::LoadedScenario& loaded, const ScenarioFlags& flags, Session& session);

/// The scenario read again with its choices open, but for those that `flags` have chosen.
std::optional<planner::OpenScenario> reopen(const ScenarioFlags& flags, Session& session,
                                            dsl::Diagnostics& diagnostics);

/// Lengths that were found for a run, kept for all that is read after: sets that lay them over where they come from.
void keep_lengths(const planner::Lengths& lengths, ScenarioFlags& flags);

/// The choices of a plan that a search found, as `--set` takes them.
planner::Sets choice_sets(const std::vector<std::string>& names, const std::vector<dsl::Value>& choices);

}  // namespace cli
