// What selective recompute drops of a layer, and which operators make that again.
#pragma once

#include <span>

#include "planner/scenario/lacks.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// Kept tensors that are dropped together. Their producers run again: rows do not list these.
struct RecomputeModule {
  /// All layers; models with latents; routed experts; MLPs without experts; layers with experts; their shared ones.
  enum class Of { all, latents, routed, dense, mixture, shared };
  Selective name;
  std::span<const SavedRole> drops;
  Of of = Of::all;
  std::span<const Role> whole = {};  // repeated as one function: all of it runs again
};
std::span<const RecomputeModule> recompute_modules();

/// Whether `software.selective` names the module, or a set that holds it.
bool repeats(const Software& software, Selective module);
/// Whether the module drops the tensor of that layer, and runs the operator again as its own part.
bool drops(const Scenario& s, const RecomputeModule& module, const Block& layer, const Saved& saved);
bool holds_whole(const RecomputeModule& module, const Block& layer, const WorkOp& op);

/// Whether the operator contributes to making the kept tensor from tensors kept before it. A tensor that nothing makes
/// cannot be rebuilt (a test checks every policy of every model).
bool makes(const WorkOp& op, const Saved& tensor);

}  // namespace planner
