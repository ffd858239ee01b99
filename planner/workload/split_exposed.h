// What of a block's communication is exposed where a schedule runs the gradients of the weights by themselves.
#pragma once

#include "planner/workload/cost.h"

namespace planner {

/// Sets `exposed` of the operators that `block` holds. `before`: the block as it was before these were added to it.
void expose_as_split(const Scenario& scenario, const CostedBlock& before, CostedBlock& block);

}  // namespace planner
