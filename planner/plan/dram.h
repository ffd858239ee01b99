// What the operators of a block move through the memory of a GPU, beside each other.
#pragma once

#include <vector>

#include "operator_models/dram.h"
#include "planner/workload/cost.h"

namespace planner {

/// Of each operator, in their order, one call. A GEMM and the collective that hardware makes of its stores share what
/// they move (operator_models/dram.h); of what is neither: what its cost says.
std::vector<operator_models::DramBytes> dram_of(const Scenario& scenario, const std::vector<CostedOp>& ops);

}  // namespace planner
