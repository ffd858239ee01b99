// How the gradients of a step are to be reduced: what a tuner decides, and what a trace's graph is changed to.
#pragma once

#include <cstddef>
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

}  // namespace planner::replay
