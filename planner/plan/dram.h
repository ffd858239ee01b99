// Traffic of a block's operators through the memory of a GPU, operator by operator.
#pragma once

#include <vector>

#include "operator_models/dram.h"
#include "planner/workload/cost.h"

namespace planner {

/// One call of each operator, in order. A GEMM and the collective that hardware makes of its stores share their traffic
/// (operator_models/dram.h). Other operators: the bytes of their cost.
std::vector<operator_models::DramBytes> dram_of(const Scenario& scenario, const std::vector<CostedOp>& ops);

}  // namespace planner
