// Changes how the gradients of a traced run are reduced: applies decisions of a tuner to a measured run.
//
// All-reduces of gradients are removed: their streams skip them, their dependencies are dropped, and the host no longer
// launches them. For each bucket, or each of its partitions, new ones are inserted on the stream of the old ones, in
// launch order.
// On each rank a new one is ready when its last gradient is ready and it has been launched. A gradient is ready when
// the last computation launched up to then is done. The reduction begins when its last rank is ready and the one before
// it is done. Its duration comes from the decisions.
//
// An event that waited for an old reduction waits for the last new one with a gradient of it. If it was launched before
// that gradient was ready, it waits for the last new one launched before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/replay/replayed.h"
#include "planner/trace/gradients.h"

namespace planner::replay {

/// Gradients that are reduced as one.
struct DecidedBucket {
  std::vector<size_t> gradients;  // from 0, in the order in which they come in a step
  double bytes = 0;
  int partitions = 1;       // of one size, reduced one after the other
  double wait_seconds = 0;  // from when its last gradient is there until it is reduced at the earliest
};

struct Decisions {
  size_t gradients = 0;  // of a step
  /// In the order in which they are reduced, that of their last gradients. No gradient is in two.
  std::vector<DecidedBucket> buckets;
  /// A reduction of s bytes in k partitions takes k a + b s.
  double seconds_per_partition = 0, seconds_per_byte = 0;
};

/// A reduction that was put in on a rank, of a bucket or one of its partitions.
struct PutIn {
  size_t rank = 0, step = 0;  // in the trace; of its steps
  uint32_t lane = 0;          // in the rank: the stream
  size_t bucket = 0;
  uint32_t arrival = 0, join = 0, end = 0;  // nodes: where it is ready, where its last rank is, where it is over
};

/// Gradients of a trace: by rank, by step.
using GradientSteps = std::vector<std::vector<trace::GradientStep>>;

/// What came of them.
struct Rebucketed {
  size_t steps = 0;                        // of all ranks together, whose reductions were replaced
  size_t others = 0;                       // that have gradients, and not as many as the decisions
  std::vector<std::vector<bool>> removed;  // by rank, by event: taken out
  std::vector<PutIn> put_in;               // by step, rank and order
};

/// Changes the graph in every step that has as many gradients on each of its ranks as the decisions.
Rebucketed apply(const Decisions& decisions, const trace::Trace& trace, const GradientSteps& gradients,
                 Replayed& replayed);

}  // namespace planner::replay
