// A trace and its replay: everything that a page shows of them.
//
// Steps of a rank as a run of the graph has them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "planner/replay/account.h"
#include "planner/replay/against.h"
#include "planner/replay/edits.h"
#include "planner/replay/path.h"
#include "planner/replay/priced.h"
#include "planner/replay/rebucket.h"
#include "planner/replay/unseen.h"
#include "planner/trace/clocks.h"
#include "planner/trace/collectives.h"
#include "planner/trace/join.h"
#include "planner/trace/steps.h"

namespace planner::replay {

/// Returns the length of each, defined like `trace::Step::window` of measured steps. `came`: if reductions were
/// replaced by others.
std::vector<int64_t> lengths_in(const std::vector<trace::Step>& steps, size_t rank, const Replayed& replayed,
                                std::span<const Run> runs, const Rebucketed* came = nullptr);

/// Returns the mean over all steps of all ranks; 0 without steps.
double mean_seconds(const std::vector<std::vector<int64_t>>& lengths);

/// An execution trace of a rank, and what of it is among the rank's events.
struct JoinedRank {
  size_t rank = 0;  // in the trace
  std::string file;
  trace::Joined joined;
  std::vector<trace::Dependency> tensors = {}, backward = {};  // of events
  size_t data_edges = 0;                                       // of kernels, in the graph
};
/// The operator models' predictions for a trace.
using Pricing = std::function<Priced(const trace::Trace&, const trace::Matched&)>;

/// A second replay.
struct SecondReplay {
  std::vector<Run> runs;                      // empty: something waits for itself
  std::vector<std::vector<int64_t>> lengths;  // of steps, by rank
  Applied applied;
};

/// A change that may shorten the step, and the step with it.
struct Advice {
  std::string what, flag;   // in words; as `trainplan replay` takes it
  double step_seconds = 0;  // the mean step of all ranks with it
};

struct Measured {
  /// `edits`: the changes of a second replay; `found`: the corrections of the clocks; `joins`: execution traces. Both
  /// traces and edits must outlive it.
  Measured(const trace::Trace& measured, trace::Clocks found, const Edits& edits, const Pricing& pricing = {},
           std::vector<JoinedRank> joins = {});
  /// Returns the replay with changes, and on another machine if given. REQUIRES: it is replayed.
  SecondReplay with(const Edits& edits, const OtherMachine* other = nullptr) const;
  /// The mean step of all ranks, as measured, and with the requested changes.
  double step_seconds() const;
  double changed_seconds() const { return mean_seconds(changed_ns); }
  /// Whether nothing waits for itself.
  bool is_replayed() const { return !runs.empty(); }
  /// Whether something does when it is changed.
  bool is_stuck() const { return asks && changed.empty(); }

  const trace::Trace& trace;
  trace::Clocks clocks;
  trace::RankSteps steps;  // by rank
  trace::Matched matched;
  std::vector<std::vector<int64_t>> waits;  // trace::waits_of
  Replayed replayed;
  std::vector<Run> runs;                                  // of its nodes; empty: some wait for each other
  std::vector<std::vector<StepAccount>> accounts;         // by rank, by step; empty: as above
  std::vector<std::vector<int64_t>> lengths, changed_ns;  // of steps, by rank, in `runs` and in `changed`
  std::vector<Run> changed;                               // the same after the edits; empty: without edits
  std::vector<PathPiece> path;                            // to the end of the last step of all ranks
  std::vector<int64_t> slacks;                            // of its nodes, up to that end
  bool asks = false;                                      // whether a second replay is requested
  Applied applied;                                        // what came of the edits
  std::vector<Unseen> unseen;                             // if requested
  std::vector<JoinedRank> joined;                         // where execution traces were given
  Priced priced;                                          // nothing: the machine of the trace is not known
  std::string unpriced;                                   // why it is not; ""
  std::optional<Against> against;                         // where a scenario was given
  std::vector<Advice> advice;                             // if requested
};

}  // namespace planner::replay
