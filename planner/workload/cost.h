// Seconds of a workload: every distinct operator costed once, then summed by block and phase.
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/workload/costed_workload.h"
#include "planner/workload/model_view.h"

namespace planner {

CostedWorkload cost_workload(const Scenario& scenario, Workload workload);
/// Adds operators behind those of a block, and puts them in the place of `block.ops`: the times are those of a block
/// that has had them from the beginning, to the last bit. REQUIRES: block.open.
void add_ops(const Scenario& scenario, const operator_models::Device& device, const std::vector<WorkOp>& ops,
             CostedBlock& block);
/// Costs the parts of a plan: the blocks; what a stage does once a step; the boundary between stages.
CostedWorkload cost_blocks(const Scenario& scenario, Workload workload);
std::vector<CostedOp> cost_step_ops(const Scenario& scenario, const StageClass& stage);
operator_models::Cost cost_boundary(const Scenario& scenario, const Boundary& boundary);
/// Sets `exposed` of the operators in `block` for a schedule that runs weight gradients separately. `before`: the block
/// before these were added to it.
void expose_as_split(const Scenario& scenario, const CostedBlock& before, CostedBlock& block);
/// Of a stage that holds `held` of each block, for one microbatch.
StageTime sum_times(const std::vector<CostedBlock>& blocks, const Chunk& held, bool splits_backward);
StageSums sum_stage(const std::vector<CostedBlock>& blocks, const Chunk& held, bool splits_backward);
/// The operators of a step, grouped by the work that hides them.
StepWide step_wide(const Scenario& scenario, const std::vector<CostedOp>& step_ops);

}  // namespace planner
