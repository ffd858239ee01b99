// The backward pass of a scenario, according to its plan: the basis of tuning before anything runs.
#pragma once

#include "planner/scenario/scenario.h"
#include "planner/tuning/subject.h"

namespace planner::tuning {

/// Returns the pass of the last microbatch on the stage that finishes last. Operator models give the reductions, slowed
/// by parallel computation. Gradients of matrices are ready with the operator that computes them; those of norms,
/// biases and tables with the last operator of their layer. Fusing a memory-bound operator with the one before saves
/// its launch and its reads from that one; fusing matrix products saves nothing.
/// REQUIRES: no layout violation.
Tunable planned_pass(const Scenario& scenario);
/// The same with each operator separate, with or without a gradient: the reference for the coarsened view.
Tunable uncoarsened_pass(const Scenario& scenario);

}  // namespace planner::tuning
