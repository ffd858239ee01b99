// Operators projected from one measured iteration (Pati, "Cross-stack Optimizations for Sequence-based Models on GPUs",
// 2024, section 5.3.2, step 2.b; "Tale of Two Cs", MICRO 2023).
//
//     seconds = base seconds * work / base work * ratio
//
// Work: FLOP of a GEMM, bytes moved by a kernel bound by memory, bytes that each rank sends in a collective. Of several
// operators of the base, the one nearest in shape is taken. `ratio` leads to another device: base over this device, of
// the resource that limits the base operator (the slower of peak and bandwidth), 1 on the device that was measured.
#include <algorithm>
#include <cmath>
#include <limits>

#include "operator_models/models.h"

namespace operator_models {
namespace {

struct Nearest {
  const BaselineOperator* op = nullptr;
  double distance = std::numeric_limits<double>::infinity();
};

template <class Distance> Nearest nearest(const BaselineCalibration& base, BaselineKind kind, Distance distance) {
  Nearest best;
  for (const auto& [name, op] : base.operators) {
    if (op.kind != kind) continue;
    const double d = distance(op);
    if (d < best.distance) best = {&op, d};
  }
  return best;
}

double ratio_distance(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log(a / b)) : 0; }
double ratio_distance(int64_t a, int64_t b) { return ratio_distance(static_cast<double>(a), static_cast<double>(b)); }

constexpr double kOtherForm = 100;  // a batch of matrices is far from one matrix

double flops_of(const BaselineOperator& op) {
  return 2 * static_cast<double>(op.batch) * static_cast<double>(op.m) * static_cast<double>(op.n) *
         static_cast<double>(op.k);
}

/// Extrapolated where the operator is more than this many times the base, or less.
constexpr double kNear = 4;

void project(Cost& c, const BaselineCalibration& base, double seconds, double scale) {
  c.seconds = {seconds};
  c.launch = {std::min(c.launch.value, seconds)};
  c.model = "baseline";
  c.provenance = scale > kNear || scale < 1 / kNear ? Provenance::extrapolated : Provenance::interpolated;
  c.relative_error = base.relative_error;
}

/// Bytes per second and GPU that limit a group: its node's links, or the adapters of its ranks in one node together.
double network_of(const Group& group, const std::vector<hw_profiles::Tier>& network) {
  const double inside = group.inside.empty() ? static_cast<double>(group.ranks) : static_cast<double>(group.inside[0]);
  double least = network.empty() ? 0 : network[0].bandwidth.value;
  for (size_t t = 1; t < network.size() && t < group.inside.size(); ++t)
    if (group.inside[t] > group.inside[t - 1])
      least = std::min(least, inside * network[t].bandwidth.value / network[t].oversubscription);
  return least;
}

/// Base over this device; 1 where the base does not say what it was measured on.
double resource(double base, double here) { return base > 0 && here > 0 ? base / here : 1; }

void project_bytes(Cost& c, const Device& device, const BaselineOperator& op, double moved, const Share& share) {
  const BaselineCalibration& base = device.calibration->baseline;
  const double ratio = resource(base.bandwidth.value, device.gpu->memory_bandwidth.value * share.bandwidth);
  const double scale = moved / op.bytes.value;
  project(c, base, op.seconds.value * scale * ratio, scale);
  c.bound = Bound::memory;
}

}  // namespace

Cost gemm_baseline(const Gemm& op, const Device& device, const Share& share) {
  Cost c = gemm_wave(op, device, share);
  const BaselineCalibration& base = device.calibration->baseline;
  const Nearest found = nearest(base, BaselineKind::gemm, [&](const BaselineOperator& o) {
    return ratio_distance(op.m, o.m) + ratio_distance(op.n, o.n) + ratio_distance(op.k, o.k) +
           ((op.batch > 1) != (o.batch > 1) ? kOtherForm : 0);
  });
  if (!found.op || flops_of(*found.op) <= 0 || c.flops <= 0) return c;
  const Rate rate = matrix_peak(*device.gpu, op.precision);
  const double scale = c.flops / flops_of(*found.op);
  const double compute = resource(base.flops.value, rate.peak.value * share.compute_units);
  const double memory = resource(base.bandwidth.value, device.gpu->memory_bandwidth.value * share.bandwidth);
  const bool limited_by_memory =
      (c.bytes_read + c.bytes_written) / device.gpu->memory_bandwidth.value > c.flops / rate.peak.value;
  project(c, base, found.op->seconds.value * scale * (limited_by_memory ? memory : compute), scale);
  c.bound = limited_by_memory ? Bound::memory : Bound::compute;
  return c;
}

Cost vector_baseline(const Vector& op, const Device& device, const Share& share) {
  Cost c = vector_kernel(op, device, share);
  const double moved = op.read.value + op.written.value;
  const Nearest found = nearest(device.calibration->baseline, BaselineKind::vector, [&](const BaselineOperator& o) {
    return o.part == name(op.kind) && o.bytes.value > 0 ? ratio_distance(moved, o.bytes.value)
                                                        : std::numeric_limits<double>::infinity();
  });
  if (found.op && moved > 0) project_bytes(c, device, *found.op, moved, share);
  return c;
}

Cost lookup_baseline(const Lookup& op, const Device& device, const Share& share) {
  Cost c = lookup(op, device, share);
  const double moved = c.bytes_read + c.bytes_written;
  const Nearest found = nearest(device.calibration->baseline, BaselineKind::lookup, [&](const BaselineOperator& o) {
    return o.bytes.value > 0 ? ratio_distance(moved, o.bytes.value) : std::numeric_limits<double>::infinity();
  });
  if (found.op && moved > 0) project_bytes(c, device, *found.op, moved, share);
  return c;
}

Cost collective_baseline(const Collective& op, const Device& device, const Share& share) {
  Cost c = collective_alpha_beta(op, device, share);
  const BaselineCalibration& base = device.calibration->baseline;
  const Nearest found = nearest(base, BaselineKind::collective, [&](const BaselineOperator& o) {
    return o.part == name(op.kind) && o.bytes.value > 0
               ? ratio_distance(op.bytes.value, o.bytes.value) + kOtherForm * ratio_distance(op.group.ranks, o.ranks)
               : std::numeric_limits<double>::infinity();
  });
  if (!found.op || op.group.ranks <= 1 || op.bytes.value <= 0) return c;
  const double scale = op.bytes.value * bus_factor(op.kind, static_cast<double>(op.group.ranks)) /
                       (found.op->bytes.value * bus_factor(op.kind, static_cast<double>(found.op->ranks)));
  const double ratio = resource(base.network.value, network_of(op.group, *device.network) * share.bandwidth);
  project(c, base, found.op->seconds.value * scale * ratio, scale);
  return c;
}

}  // namespace operator_models
