// The parts of a rank's step: every nanosecond of the window is in one of the parts, or in several and then subtracted
// as overlap.
//
//     computation + communication + copies + idle - overlaps = step          host-bound + gaps + unexplained = idle
#pragma once

#include <string>

#include "planner/replay/replayed.h"

namespace planner::replay {

/// Parts of a step's window in which nothing ran on the device, by the dependency of the next piece of work.
struct Idle {
  int64_t host_ns = 0;         // its launch: the host was not so far; or nothing followed
  int64_t gap_ns = 0;          // its stream or an event, which was done: the device's own delay between two
  int64_t unexplained_ns = 0;  // it was launched and nothing held it, for longer than launches and gaps take
  int64_t sum_ns() const { return host_ns + gap_ns + unexplained_ns; }
};

/// The longest delay of a device between two pieces of work; a longer gap is unexplained.
inline constexpr int64_t kMostGapNs = 20'000;

/// Returns it for a time of a rank, as measured; `runs`: of its replay without changes, which has the dependencies.
Idle idle_of(const trace::RankTrace& trace, size_t rank, trace::TimeInterval window, const Replayed& replayed,
             std::span<const Run> runs);

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
