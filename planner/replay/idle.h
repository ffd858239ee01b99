// Why a device was idle in a step.
#pragma once

#include "planner/replay/replayed.h"

namespace planner::replay {

/// Parts of a step's window in which nothing ran on the device, by what the next piece of work waited for.
struct Idle {
  int64_t host_ns = 0;         // its launch: the host was not so far; or nothing followed
  int64_t gap_ns = 0;          // its stream or an event, which was there: what a device takes between two
  int64_t unexplained_ns = 0;  // it was launched and nothing held it, for longer than launches and gaps take
  int64_t sum_ns() const { return host_ns + gap_ns + unexplained_ns; }
};

/// What a device takes between two pieces of work at most, beyond which a gap is unexplained.
inline constexpr int64_t kMostGapNs = 20'000;

/// Returns it for a time of a rank, as measured; `runs`: of its replay without changes, which say what waited for what.
Idle idle_of(const trace::RankTrace& trace, size_t rank, trace::Interval window, const Replayed& replayed,
             std::span<const Run> runs);

}  // namespace planner::replay
