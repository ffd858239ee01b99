// Kernels bound by memory: launch + bytes / (efficiency * bandwidth), or the vector unit where that is slower.
// (Williams et al., "Roofline", CACM 2009; efficiencies per kind: the calibration.)
#include <algorithm>
#include <cmath>
#include <utility>

#include "operator_models/models.h"

namespace operator_models {
namespace {

/// Of the memory bandwidth: that of the row's width where it is known and measured.
double efficiency(const VectorCalibration& row, int64_t width, bool backward) {
  const double factor = backward ? row.backward : 1;
  if (row.widths.empty() || width <= 0) return factor * row.efficiency;
  const double x = real(width);
  if (x <= row.widths.front()) return factor * row.efficiencies.front();
  if (x >= row.widths.back()) return factor * row.efficiencies.back();
  const size_t i = static_cast<size_t>(std::upper_bound(row.widths.begin(), row.widths.end(), x) - row.widths.begin());
  const double part = std::log(x / row.widths[i - 1]) / std::log(row.widths[i] / row.widths[i - 1]);
  return factor * (row.efficiencies[i - 1] + part * (row.efficiencies[i] - row.efficiencies[i - 1]));
}

/// A single timed call of an eager framework: the device waits for the next call, and for the clock's events.
void as_called(Cost& c, const VectorCalibration& row) {
  const dsl::Seconds traffic = c.seconds - c.launch;
  c.launch = std::max(row.call_base, row.call_least - traffic);
  c.seconds = c.launch + traffic;
  c.bound = traffic > c.launch ? c.bound : Bound::launch;
}

}  // namespace

Cost vector_kernel(const Vector& op, const Device& device, const Share& share) {
  const VectorCalibration& row = vector_row(device, op.kind);
  Cost c;
  if (op.read.value + op.written.value > 0 || op.elements > 0) {
    c = streaming(op.read, op.written, efficiency(row, op.width, op.backward), device, share);
    c.flops = op.elements * op.flops_per_element;
    const auto rate = device.gpu->vector_flops * hw_profiles::compute_share(*device.gpu);
    dsl::Seconds compute = dsl::Flops{c.flops} / (rate * share.compute_units);
    dsl::Seconds traffic = c.seconds - c.launch;
    if (compute > traffic) c.bound = compute > c.launch ? Bound::compute : Bound::launch;
    c.seconds = c.launch + device.slowdown * std::max(compute, traffic);
    if (op.called && row.call_least.value > 0) as_called(c, row);
    if (op.joined) c.seconds -= std::exchange(c.launch, {});
  }
  set_source(c, "streaming", row);
  return c;
}

/// Forward reads the rows and writes them out; backward reads gradients and adds them to the table's rows.
Cost lookup(const Lookup& op, const Device& device, const Share& share) {
  const VectorCalibration& row = vector_row(*device.calibration, "lookup");
  dsl::Bytes moved{real(op.rows) * real(op.width) * op.bytes_per_element};
  Cost c;
  if (moved.value > 0) {
    c = streaming(op.backward ? 2 * moved : moved, moved, row.efficiency, device, share);
    c.flops = op.backward ? real(op.rows) * real(op.width) : 0;
  }
  set_source(c, "streaming", row);
  return c;
}

}  // namespace operator_models
