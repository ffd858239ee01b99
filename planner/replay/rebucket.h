// The graph of a trace with its gradients reduced otherwise: decisions of a tuner, on what really ran.
//
// All-reduces of gradients are taken out: their streams pass over them, what they waited for they no longer do, and the
// host no longer launches them. For each bucket, or each of its partitions, new ones are put in on the stream of the
// old ones, in the order of launches. On each rank one is ready when the last of its gradients is - what computes was
// launched last up to then - and its launch has been made; it begins when its last rank is ready and the one before it
// is done, and takes what the decisions say.
//
// What waited for an old one waits for the last new one that has a gradient of it; where it was launched before that
// gradient was there, for the last new one launched before it.
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
