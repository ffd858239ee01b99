// Independent GEMMs of a block that share the GPU (Pati 2024, table 2.1): which they are, and what that makes of their
// seconds.
#pragma once

#include <span>
#include <vector>

#include "operator_models/concurrency_policy.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/costed_workload.h"

namespace planner {

/// GEMMs of one pass of a block without a path between them: queries, keys and values, the two gradients of one
/// product, experts with a kernel each, directions and layers of a recurrent row in their steps, instances of the job.
/// `copies`: of each.
struct ConcurrentGroup {
  std::vector<int> ops;  // numbers in the block
  std::vector<int64_t> copies;
  operator_models::StreamEnds ends = operator_models::StreamEnds::joined;
};
std::vector<ConcurrentGroup> concurrent_groups(const Scenario& scenario, std::span<const CostedOp> ops);

/// Gives the GEMMs of each group the seconds that they take among the others, by `software.concurrency`.
void share_gpu(const Scenario& scenario, const operator_models::Device& device, std::vector<CostedOp>& ops);

}  // namespace planner
