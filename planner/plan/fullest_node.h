// The joint memory of a node's ranks, if the stages of the pipeline keep different amounts.
#pragma once

#include <cstdint>
#include <span>

namespace planner {

/// Returns the most that one node's ranks keep. `of_stages`: of one rank of each stage; rank r is of stage
/// r / stride % stages. Takes a time that grows with the stages, not with the ranks. REQUIRES: all counts above zero.
double fullest_node(std::span<const double> of_stages, int64_t stride, int64_t ranks, int64_t ranks_per_node);

}  // namespace planner
