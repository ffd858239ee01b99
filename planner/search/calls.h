// Communication of the parts of a plan, kept for the seconds that are hidden: the sum over the plan's rows
// (communication.h), in their order, to the last bit.
#pragma once

#include <vector>

#include "planner/plan/step.h"
#include "planner/workload/cost.h"

namespace planner {

/// An operator that communicates: how often it runs, and seconds of one call.
struct Calls {
  double count = 0, seconds = 0, exposed = 0;
  double exposed_split = 0;  // as `exposed`, where the schedule splits the backward pass
};
using BlockCalls = std::vector<Calls>;

/// Returns those that `block` holds, which it keeps as they are in a split backward pass. `before`: split_exposed.h.
BlockCalls calls_of(const Scenario& scenario, const CostedBlock& before, CostedBlock& block);

/// Those that a stage runs once a step. What is exposed of those that something hides stands in a `StepWide`.
struct StepCall {
  Calls calls;
  const std::vector<Transfer> StepWide::*under = nullptr;  // null: `calls` says it
};
using StepCalls = std::vector<StepCall>;
StepCalls step_calls(const std::vector<CostedOp>& step_ops);

/// What a step communicates, seen from the stage that finishes last.
struct StepTransfers {
  const Pipelined& pipeline;
  const std::vector<BlockCalls>& blocks;
  const Chunk& held;     // of the blocks, by the stage
  bool splits_backward;  // the schedule does
  const Boundary& boundary;
  double crossing;  // seconds of one
  const StepCalls& once;
  const StepWide& wide;  // with what is exposed
};
/// Returns the seconds that are hidden.
double hidden_of(const Scenario& scenario, const StepTransfers& transfers);

}  // namespace planner
