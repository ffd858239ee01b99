// How the gradients of a step are to be reduced: what a tuner decides, and what a trace's graph is changed to
// (rebucket.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace planner::replay
