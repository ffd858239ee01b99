// In which order the operators of a block's backward pass run.
#pragma once

#include <vector>

#include "planner/workload/workload.h"

namespace planner::tuning {

/// Returns the numbers of the operators of the backward pass, those of the block's last operators first, each behind
/// its inputs. Of the operators that could run, the one with the latest forward operator comes first, as in frameworks.
std::vector<int> backward_order(const Block& block);

}  // namespace planner::tuning
