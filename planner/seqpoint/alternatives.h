// What SeqPoint is held against (Pati 2024, sections 3.4.3 and 3.6.3).
#pragma once

#include <vector>

#include "planner/seqpoint/select.h"

namespace planner::seqpoint {

inline constexpr int64_t kPriorIterations = 50;  // section 3.4.3

struct AlternativeOptions {
  int64_t warmup = 50;    // iterations before those of `prior`; the chapter does not give the number
  int64_t clusters = 10;  // of `kmeans`
};

/// In this order:
///     frequent   the length of most iterations, ties to the shorter
///     median     the length of the median iteration, the shorter of two
///     worst      the one length that projects the epoch worst, ties to the shorter
///     prior      50 iterations in a row after the warm-up; of a run too short for both its last 50; left out of a run
///                of 50 iterations or fewer, all of which it would see
///     kmeans     clusters of the run times instead of bins, as many as there are SeqPoints
std::vector<Sample> alternatives(const Epoch& epoch, const AlternativeOptions& options);

/// Returns at most `k` groups of lengths by k-means over the run times of all iterations: Lloyd's steps from the
/// middles of k equal shares of the iterations sorted by time, until no length changes its group (at most 1000 of
/// them). The groups ascend in time; those that no length is in are left out.
std::vector<Group> cluster_times(const Epoch& epoch, int64_t k);

}  // namespace planner::seqpoint
