// A trace as a report: what each rank was busy with, whom it waited for, and its collectives.
#pragma once

#include <functional>

#include "cli/report/report.h"
#include "planner/replay/edits.h"
#include "planner/replay/idle.h"
#include "planner/replay/path.h"
#include "planner/replay/priced.h"
#include "planner/replay/unseen.h"
#include "planner/trace/busy.h"
#include "planner/trace/clocks.h"
#include "planner/trace/collectives.h"
#include "planner/trace/join.h"

namespace cli {

/// An execution trace of a rank, and what of it is among the rank's events.
struct JoinedRank {
  size_t rank = 0;  // in the trace
  std::string file;
  planner::trace::Joined joined;
  std::vector<planner::trace::Dependency> tensors = {}, backward = {};  // of events
};
/// What the operator models say of a trace.
using Pricing = std::function<planner::replay::Priced(const planner::trace::Trace&, const planner::trace::Matched&)>;

/// What a trace says, and its replay.
struct Measured {
  /// `edits`: what is changed in a second replay; `found`: by what the clocks were put forward.
  Measured(const planner::trace::Trace& measured, planner::trace::Clocks found, const planner::replay::Edits& edits,
           const Pricing& pricing = {});
  /// Whether nothing waits for itself.
  bool is_replayed() const { return !runs.empty(); }

  const planner::trace::Trace& trace;
  planner::trace::Clocks clocks;
  std::vector<std::vector<planner::trace::Step>> steps;  // by rank
  planner::trace::Matched matched;
  std::vector<std::vector<int64_t>> waits;  // planner::trace::waits_of
  planner::replay::Replayed replayed;
  std::vector<planner::replay::Run> runs;        // of its nodes; empty: some wait for each other
  std::vector<planner::replay::Run> changed;     // the same with the edits; empty: there are none
  std::vector<planner::replay::PathPiece> path;  // to the end of the last step of all ranks
  std::vector<int64_t> slacks;                   // of its nodes, up to that end
  std::vector<size_t> found;                     // by scaling: how many events it is of
  std::vector<planner::replay::Unseen> unseen;   // where it was asked for
  std::vector<JoinedRank> joined;                // where execution traces were given
  planner::replay::Priced priced;                // nothing: the machine of the trace is not known
  std::string unpriced;                          // why it is not; ""
};

Report replay_report(const Measured& measured);

}  // namespace cli
