// What recompute policies drop of a layer, and which operators make that again.
#pragma once

#include <span>

#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// Kept tensors that are dropped together. What makes them runs again: no row says so a second time.
struct RecomputeModule {
  enum class Of { all, latents, routed };  // every layer; of models with latents; of routed experts
  Selective policy;                        // a policy is the sum of its rows
  std::span<const SavedRole> drops;
  Of of = Of::all;
};
std::span<const RecomputeModule> recompute_modules();

/// Whether the operator has a part in making the kept tensor from what is kept before it. A tensor that nothing makes
/// cannot be rebuilt (a test asks every policy of every model).
bool makes(const WorkOp& op, const Saved& tensor);

}  // namespace planner
