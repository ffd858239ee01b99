#include "planner/replay/kernel_prices.h"

#include <algorithm>

#include "operator_models/models.h"
#include "planner/replay/kernel_work.h"

namespace planner::replay {
namespace {

using trace::Tensor;

double bytes_of(const Tensor& tensor) {
  return static_cast<double>(tensor.elements) * static_cast<double>(tensor.element_bytes);
}

/// Bytes that an operator's tensors on the device hold; a tensor that is taken and given counts twice. A lookup reads
/// of each, its tables and their optimizer's states among them, as much as comes out at most.
double moved_bytes(const trace::Execution& execution, const trace::ExecutionNode& node) {
  double in = 0, out = 0;
  for (const Tensor& tensor : node.outputs)
    if (trace::is_on_device(execution, tensor)) out += bytes_of(tensor);
  const bool looks_up = execution.name(node).find("embedding") != std::string::npos;
  for (const Tensor& tensor : node.inputs)
    if (trace::is_on_device(execution, tensor)) in += looks_up ? std::min(out, bytes_of(tensor)) : bytes_of(tensor);
  return in + out;
}

/// Bytes that cross the link between host and device: those of the smaller side.
double crossing_bytes(const trace::Execution& execution, const trace::ExecutionNode& node) {
  double host = 0, device = 0;
  for (const Tensor& tensor : node.inputs) (trace::is_on_device(execution, tensor) ? device : host) += bytes_of(tensor);
  return std::min(host, device);
}

}  // namespace

KernelPrices::KernelPrices(const Site& site) : machine_(*site.machine), device_(device_of(*site.machine)) {}

KernelPrice KernelPrices::of(const trace::RankTrace& rank, const KernelShapes& shapes, size_t kernel,
                             const trace::Execution& execution, const trace::ExecutionNode& node, size_t of) const {
  const KernelWork work = work_of(rank.events[kernel], rank.name(rank.events[kernel]));
  if (work == KernelWork::matrix || work == KernelWork::attention)
    if (const auto shaped = shapes.of(kernel)) {
      const operator_models::Cost cost = operator_models::cost(shaped->op, device_);
      const double seconds = (cost.seconds - operator_models::launch_of(device_)).value;
      return {std::max(seconds, machine_.calibration.empty_kernel.value), true};
    }
  const bool crosses = work == KernelWork::host_copy;
  const double bytes = crosses ? crossing_bytes(execution, node) : moved_bytes(execution, node);
  const double memory = machine_.gpu.memory_bandwidth.value * machine_.gpu.speedup *
                        operator_models::vector_row(machine_.calibration, "elementwise").efficiency;
  const double rate = crosses ? machine_.host.bandwidth.value * machine_.calibration.host.copy_efficiency : memory;
  const double moving = rate > 0 ? bytes / rate / static_cast<double>(std::max<size_t>(of, 1)) : 0;
  return {moving + machine_.calibration.empty_kernel.value, false};
}

}  // namespace planner::replay
