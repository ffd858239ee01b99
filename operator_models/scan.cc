// Recurrent mixers: the roofline of matrices, vector unit and memory, and the pass over the states, which follow one
// another (chunks of other sequences and heads run beside it).
//
//     roofline = max(matrix / (m * matrix peak), vector / (v * vector peak), bytes / (b * bandwidth))
//     seconds  = kernels * launch + base + |roofline, chunks * step|_2            (backward: times `backward`)
#include <algorithm>
#include <cmath>

#include "operator_models/models.h"
#include "operator_models/row_key.h"
#include "operator_models/scan_work.h"

namespace operator_models {
namespace {

/// What a scan is bound by.
struct ScanParts {
  double matrix = 0, vector = 0, memory = 0, states = 0;
  double compute() const { return std::max({matrix, vector, states}); }
  double seconds() const { return std::hypot(std::max({matrix, vector, memory}), states); }
};

ScanParts parts_of(const ScanWork& work, const ScanCalibration& row, double peak, const Device& device,
                   const Share& share) {
  const double vector = device.gpu->vector_flops.value * hw_profiles::compute_share(*device.gpu);
  return {.matrix = work.matrix_flops / (row.matrix * peak * share.compute_units),
          .vector = work.vector_flops / (row.vector * vector * share.compute_units),
          .memory = (work.read_bytes + work.written_bytes) /
                    (row.memory * device.gpu->memory_bandwidth.value * share.bandwidth),
          .states = work.chunks * row.step.value};
}

}  // namespace

const ScanCalibration& scan_row(const Calibration& calibration, ScanRule rule) {
  return row_or_defaults(calibration.scan, name(rule));
}

Cost scan(const Scan& op, const Device& device, const Share& share) {
  const ScanCalibration& row = scan_row(*device.calibration, op.rule);
  const Rate rate = matrix_peak(*device.gpu, op.precision);
  const ScanWork work = scan_work(op);
  Cost c;
  if (work.chunks > 0) {
    const ScanParts parts = parts_of(work, row, rate.peak.value, device, share);
    const double factor = op.backward ? row.backward : 1, busy = factor * (row.base.value + parts.seconds());
    c.launch = work.kernels * launch_of(device);
    c.seconds = c.launch + dsl::Seconds{busy};
    c.flops = work.matrix_flops + work.vector_flops;
    c.bytes_read = work.read_bytes;
    c.bytes_written = work.written_bytes;
    c.bound = bound_of(busy, parts.compute() >= parts.memory, c.launch);
  }
  set_source(c, "chunks", row, rate.exact);
  return c;
}

}  // namespace operator_models
