// Printing of a search result, with the analyses that flags request.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/best_plans.h"
#include "cli/commands/interrupt.h"
#include "cli/commands/progress.h"
#include "cli/commands/search_flags.h"
#include "cli/files/partial.h"
#include "cli/pages/search_report.h"

namespace cli {

/// Number of plans that a search shows without --top.
inline constexpr size_t kTopPlans = 10;

/// The plans with which a search is compared, if any.
struct SearchRivals {
  std::optional<KnownRun> run;
  std::optional<LayoutReason> why;
};

struct SearchPage {
  const Partial& partial;
  const EndedSearch& ended;
  std::function<std::vector<planner::Obstacle>()> obstacles;                // called if nothing is feasible
  std::function<std::string()> resolved;                                    // the scenario in full, as YAML
  std::function<planner::NamedBatches(planner::TryBatches)> other_batches;  // called if the search is complete
};

/// Whether another walk continues from the output, which then holds all plans that are kept.
bool carries_on(const SearchFlags& options, const Partial& partial);
/// Puts the plans into the order in which they are shown; those that a walk goes on from stay.
void rank_result(const SearchFlags& options, const planner::TieLaw& law, Partial& partial);

/// The scenario of one space, for reading it again. `kept`: the flags, with the values found for them.
struct SpaceText {
  const dsl::Source& source;
  const planner::OpenScenario& open;
  const ScenarioFlags& kept;
  Session& session;
};
/// For both: the arguments outlive the result. REQUIRES: the source is the session's first.
EndedSearch ended_search(const planner::SearchResult& result, const SpaceText& space);
SearchPage search_page(const Partial& partial, const EndedSearch& ended, const SpaceText& space);

/// Prints the result and returns its status. `command`: search, or another command with its result.
int print_search(const SearchFlags& options, const SearchPage& page, const SearchRivals& beside, Session& session,
                 Streams& streams, const char* command = "search");

/// Progress display of a walk: a line on a terminal, for about `candidates` candidates.
struct WalkDisplay {
  bool progress = false, timing = false;
  double candidates = 0;
  const planner::Goal& goal;
};
WalkDisplay shown_walk(const CommonFlags& common, const Streams& streams, double candidates, const planner::Goal& goal);
/// --timing: how fast a walk was.
void tell_rate(int64_t candidates, double seconds, Streams& streams);

/// Runs a study of many searches that takes `search`, with a line of its rows; a signal ends it.
template <class Study>
auto watched(planner::SearchOptions& search, const CommonFlags& common, Streams& streams, Study study) {
  planner::WalkProgress progress;
  search.progress = &progress;
  search.stop = &interrupted();
  std::optional<ProgressBar> bar;
  if (streams.terminal && !common.quiet) bar.emplace(streams.screen(), progress);
  auto result = study();
  search.progress = nullptr;
  return result;
}

/// Runs a walk that takes `search`, with that line; a signal ends it.
template <class Walk>
auto watched(planner::SearchOptions& search, const WalkDisplay& shown, Streams& streams, Walk walk) {
  planner::WalkProgress progress;
  if (search.resume) progress.candidates = search.resume->candidates;
  search.progress = &progress;
  search.stop = &interrupted();
  std::optional<ProgressBar> bar;
  if (shown.progress) bar.emplace(streams.screen(), progress, shown.candidates, shown.goal);
  const Interruptible guard;
  const auto start = std::chrono::steady_clock::now();
  auto result = walk();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  bar.reset();
  if (shown.timing) tell_rate(progress.candidates, took.count(), streams);
  search.progress = nullptr;
  return result;
}

}  // namespace cli
