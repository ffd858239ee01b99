// Where a step of a rank went: one window, of which every nanosecond is in one of the parts, or in several and then
// taken off again.
//
//     computation + communication + copies + idle - overlaps = step          host-bound + gaps + unexplained = idle
#pragma once

#include <string>

#include "planner/replay/idle.h"

namespace planner::replay {

struct StepAccount {
  int64_t step_ns = 0;
  int64_t compute_ns = 0, communication_ns = 0, copies_ns = 0;  // while something of it ran
  int64_t overlaps_ns = 0;                                      // while two of them ran; while three did, twice
  int64_t idle_ns = 0;                                          // while nothing did
  Idle idle;                                                    // the same, by its causes

  int64_t sum_ns() const { return compute_ns + communication_ns + copies_ns + idle_ns - overlaps_ns; }
};

/// Returns the account of a step. `runs`: of its replay without changes.
StepAccount account_of(const trace::RankTrace& trace, size_t rank, const trace::Step& step, const Replayed& replayed,
                       std::span<const Run> runs);

/// Returns which of the two sums differs from the step, or which part lies outside it; "": the account is exact.
std::string wrong_of(const StepAccount& account);

}  // namespace planner::replay
