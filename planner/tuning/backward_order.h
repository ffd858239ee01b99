// In which order the operators of a block's backward pass run.
#pragma once

#include <vector>

#include "planner/workload/workload.h"

namespace planner::tuning {

/// Returns the numbers of the operators of the backward pass, those of the block's last operators first: each behind
/// what it needs; of those that could run the one whose forward operator came last, as frameworks go back.
std::vector<int> backward_order(const Block& block);

}  // namespace planner::tuning
