// Once-a-step products over matrices of layers in an optimizer, and the resulting traffic of ranks.
#pragma once

#include <vector>

#include "planner/workload/matrices.h"

namespace planner {

/// An operator of the optimizer.
WorkOp step_op(const Label& name, operator_models::Operator op, double count = 1);
/// Adds them to the stage's operators. REQUIRES: the row has products.
void update_matrices(const Scenario& scenario, const OptimizerRow& row, const std::vector<LayerMatrix>& matrices,
                     StageClass& stage);

}  // namespace planner
