// Times of kernels of an execution trace on a machine.
//
// Kernels that multiply take the operator models' time for their operator's shapes. Other kernels move the tensors of
// their operator through the device's memory, at the measured efficiency of element-wise kernels, plus the time of an
// empty kernel; several kernels of one operator each move the same. A lookup moves the rows of its table, as many bytes
// as its output. Copies to and from the host use its link.
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

  /// `kernel`: place in `rank`, with `shapes`; `node`: the operator that launches it, with `of` kernels in all.
  KernelPrice of(const trace::RankTrace& rank, const KernelShapes& shapes, size_t kernel,
                 const trace::Execution& execution, const trace::ExecutionNode& node, size_t of) const;

 private:
  const operator_models::Machine& machine_;
  const operator_models::Device device_;
};

}  // namespace planner::replay
