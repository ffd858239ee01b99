// The backward pass of a scenario, as its plan has it: what is tuned before anything runs.
#pragma once

#include "planner/scenario/scenario.h"
#include "planner/tuning/subject.h"

namespace planner::tuning {

/// Returns the pass of the last microbatch on the stage that finishes last; reductions by the operator models, slowed
/// by computation beside them. Gradients of matrices are there with the operator that computes them, those of norms,
/// biases and tables with the last operator of their layer. Operators bound by memory save their launch and what they
/// read of the one before when they are fused with it; matrix products save nothing.
/// REQUIRES: no layout violation.
Tunable planned_pass(const Scenario& scenario);
/// The same with each operator for itself, whether it has a gradient or not: what the coarsened view is held against.
Tunable uncoarsened_pass(const Scenario& scenario);

}  // namespace planner::tuning
