#include "operator_models/fused_collective.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "operator_models/collective.h"

namespace operator_models {

double staged_seconds(double gemm, const RingSteps& ring) {
  assert(ring.ranks > 1 && "a ring has two ranks or more");
  const double stages = real(ring.ranks), stage = gemm / stages;
  double sent = std::max(stage, ring.seconds);
  for (double k = 2; k < stages; ++k) sent = std::max(sent, k * stage) + ring.seconds;
  return std::max(gemm, sent);
}

double streamed_seconds(double gemm, const Stream& s) {
  assert(s.parts >= 1 && "what is written is one part at least");
  assert(s.latency <= s.seconds && "the latency is a part of the time");
  const double moved = s.seconds - s.latency;
  return std::max(gemm, moved) + std::min(gemm, moved) / s.parts + s.latency;
}

double few_units_factor(double units, double full) {
  const double lack = units > 0 ? full / units : 0;
  return std::cbrt(1 + lack * lack * lack);
}

double fused_traffic(const Collective& op, double op_and_store, bool straight) {
  const double ranks = real(op.group.ranks), chunk = op.bytes.value / ranks;
  const double read = straight ? 0 : std::max(0.0, ranks - 2);
  const double arriving = op.kind == CollectiveKind::all_to_all ? 1 : op_and_store;
  return (read + arriving * (ranks - 1)) * chunk;
}

bool inputs_fit(const Gemm& op, const hw_profiles::Accelerator& gpu) {
  const double m = real(op.m), n = real(op.n), k = real(op.k);
  return real(op.batch) * k * (m * op.a_bytes + n * op.b_bytes) <= gpu.cache.value;
}

double last_reduction_seconds(const Collective& op, const Device& device) {
  const Path path = path_of(op.group, *device.network);
  const CollectiveCalibration& row = collective_row(device, path.outer ? path.outer_index : 0, part_of(op));
  return last_reduction_seconds(op, row, device);
}

}  // namespace operator_models
