// What kernels of an execution trace take on a machine.
//
// A kernel that multiplies takes what the operator models say of its operator's shapes. Any other one moves the tensors
// of its operator through the device's memory, at what element-wise kernels were measured to reach, beside what an
// empty kernel takes; of several of an operator each moves as much. Of a lookup rows of the table move, as many bytes
// as come out. Copies to and from the host go over its link.
#pragma once

#include "planner/replay/kernel_shapes.h"
#include "planner/replay/site.h"
#include "planner/trace/execution.h"

namespace planner::replay {

/// A kernel's time, and whether the models know its shape.
struct KernelPrice {
  double seconds = 0;
  bool by_shape = false;
};

class KernelPrices {
 public:
  explicit KernelPrices(const Site& site);

  /// `kernel`: place in `rank`, of which `shapes` is; `node`: the operator that launches it and `of` kernels in all.
  KernelPrice of(const trace::RankTrace& rank, const KernelShapes& shapes, size_t kernel,
                 const trace::Execution& execution, const trace::ExecutionNode& node, size_t of) const;

 private:
  const operator_models::Machine& machine_;
  const operator_models::Device device_;
};

}  // namespace planner::replay
