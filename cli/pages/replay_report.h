// A trace as a report: what each rank was busy with, whom it waited for, and its collectives.
#pragma once

#include "cli/report/report.h"
#include "planner/replay/build.h"
#include "planner/trace/busy.h"
#include "planner/trace/collectives.h"

namespace cli {

/// What a trace says, before anything is replayed.
struct Measured {
  explicit Measured(const planner::trace::Trace& measured);

  const planner::trace::Trace& trace;
  std::vector<std::vector<planner::trace::Step>> steps;  // by rank
  planner::trace::Matched matched;
  std::vector<std::vector<int64_t>> waits;  // planner::trace::waits_of
  planner::replay::Replayed replayed;
  std::vector<planner::replay::Run> runs;  // of its nodes; empty: some wait for each other
};

Report replay_report(const Measured& measured);

}  // namespace cli
