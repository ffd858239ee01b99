// Kernels bound by memory: launch + bytes / (efficiency * bandwidth), or the vector unit where that is slower.
// (Williams et al., "Roofline", CACM 2009; efficiencies per kind: the calibration.)
#include <algorithm>

#include "operator_models/models.h"

namespace operator_models {

Cost vector_kernel(const Vector& op, const Device& device, const Share& share) {
  const VectorCalibration& row = vector_row(*device.calibration, name(op.kind));
  Cost c;
  if (op.read.value + op.written.value > 0 || op.elements > 0) {
    c = streaming(op.read, op.written, row.efficiency, device, share);
    c.flops = op.elements * op.flops_per_element;
    dsl::Seconds compute = dsl::Flops{c.flops} / (device.gpu->vector_flops * share.compute_units);
    dsl::Seconds traffic = c.seconds - c.launch;
    if (compute > traffic) c.bound = compute > c.launch ? Bound::compute : Bound::launch;
    c.seconds = c.launch + device.slowdown * std::max(compute, traffic);
  }
  c.model = "streaming";
  c.provenance = row.provenance;
  c.relative_error = row.relative_error;
  return c;
}

/// Forward reads the rows and writes them out; backward reads gradients and adds them to the table's rows.
Cost lookup(const Lookup& op, const Device& device, const Share& share) {
  const VectorCalibration& row = vector_row(*device.calibration, "lookup");
  dsl::Bytes moved{static_cast<double>(op.rows) * static_cast<double>(op.width) * op.bytes_per_element};
  Cost c;
  if (moved.value > 0) {
    c = streaming(op.backward ? 2 * moved : moved, moved, row.efficiency, device, share);
    c.flops = op.backward ? static_cast<double>(op.rows) * static_cast<double>(op.width) : 0;
  }
  c.model = "streaming";
  c.provenance = row.provenance;
  c.relative_error = row.relative_error;
  return c;
}

}  // namespace operator_models
