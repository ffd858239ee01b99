// Predicts a step from execution traces. These give the operators of each rank, their order and tensors, but no times.
//
//     nodes -> operators of threads, and what they call (spans.h) -> graph -> prices -> a trace with times
//
// This is Algorithm 1 of Lin et al. (section IV-B) as a graph. A thread runs its operators one after the other, with
// host times and calls from other traces. A kernel begins when it is launched, its stream is free, and kernels of other
// streams whose tensors it reads are done. A blocking call returns when its stream is done. A backward pass begins
// where the thread that requests it waits.
// A collective is done on all ranks a predicted time after the last rank has arrived. Kernel times come from the
// operator models, by the shapes that the operators recorded.
//
// The result is a trace like a measured one, so that all analyses of measured traces apply to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/replay/site.h"
#include "planner/replay/statistics.h"
#include "planner/trace/execution.h"
#include "planner/trace/trace.h"

namespace planner::replay {

struct PredictedTrace {
  std::vector<trace::RankTrace> ranks;
  std::vector<std::string> wrong;     // why there is no prediction; empty: there is one
  size_t spans = 0, unlike = 0;       // of hosts; of these those without a similar measured span
  size_t kernels = 0, by_shapes = 0;  // all that devices run but collectives; of these by models of their shapes
};

/// No kernel, and no transfer, takes longer.
inline constexpr double kMostKernelSeconds = 1000;

/// Another placement of embedding tables. It replaces the times of each rank's lookups, both ways (kernels of FBGEMM's
/// sharded lookups, "split_embedding"). It also replaces the bytes that a rank sends in all-to-alls of floating-point
/// numbers, summed over a forward pass, and over a backward pass. Indices and lists of lengths stay.
struct Sharding {
  std::vector<double> lookup_seconds;  // by rank
  int64_t message_bytes = 0;
};

/// Predicts a run of the ranks, in the order of their files. `begins_ns`: when each begins; empty: all at once.
/// `sharding` null: tables stay where the files have them. Reported as wrong: no matching lookups or exchanges; a
/// collective without a price; ranks with different collectives; operators nested too deeply to follow.
PredictedTrace predict(const std::vector<trace::Execution>& ranks, const Site& site, const Statistics& times,
                       const std::vector<int64_t>& begins_ns, const Sharding* sharding = nullptr);

/// Returns whether a file suffices for a prediction: operators of threads with the shapes of their inputs.
bool has_shapes(const trace::Execution& execution);

}  // namespace planner::replay
