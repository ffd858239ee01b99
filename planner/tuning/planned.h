// The backward pass of a scenario, as its plan has it: what is tuned before anything runs.
#pragma once

#include <optional>
#include <string>

#include "planner/scenario/scenario.h"
#include "planner/tuning/backward.h"

namespace planner::tuning {

struct Planned {
  Backward pass;          // of the last microbatch on the stage that finishes last
  SyncSeconds sync;       // by the operator models, slowed by computation beside it
  std::string reduction;  // "all-reduce of 16 ranks"
  double step_seconds = 0;
};

/// Or why there is nothing to tune.
struct Tunable {
  std::optional<Planned> planned;
  std::string why_not, hint;
};

/// Returns the backward pass. An operator whose gradients are of no matrix of its own - norms,
/// biases, lookups - leaves them to the last operator of its layer. Operators bound by memory save their launch and
/// what they read of the one before when they are fused with it; matrix products save nothing.
/// `scenario` outlives `sync`. REQUIRES: no layout violation.
Tunable planned_pass(const Scenario& scenario);

}  // namespace planner::tuning
