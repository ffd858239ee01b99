// Operators projected from one measured iteration (Pati, "Cross-stack Optimizations for Sequence-based Models on GPUs",
// 2024, section 5.3.2, step 2.b; "Tale of Two Cs", MICRO 2023).
//
//     GEMM:       seconds = base seconds * FLOP / base FLOP * ratio
//     all others: seconds = base seconds * model(operator, this device) / model(base operator, base device)
//
// Of several operators of the base, the one nearest in shape is taken. `ratio` leads to another device: base over this
// device, of the resource that limits the operator (the slower of peak and bandwidth), 1 on the device that was
// measured. `model` is the default model of the kind at the calibration: work over bandwidth, and what does not grow
// with the work - the launch, the latency of a message - or does not grow in proportion to it (the width of the rows of
// a norm, a link that saturates late). The base device is this one with the base's bandwidth.
#include <algorithm>
#include <cmath>
#include <limits>

#include "operator_models/models.h"

namespace operator_models {
namespace {

struct NearestOperator {
  const BaselineOperator* op = nullptr;
  double distance = std::numeric_limits<double>::infinity();
};

template <class Distance>
NearestOperator nearest(const BaselineCalibration& base, BaselineKind kind, Distance distance) {
  NearestOperator best;
  for (const auto& [name, op] : base.operators) {
    if (op.kind != kind) continue;
    const double d = distance(op);
    if (d < best.distance) best = {&op, d};
  }
  return best;
}

double ratio_distance(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log(a / b)) : 0; }
double ratio_distance(int64_t a, int64_t b) { return ratio_distance(real(a), real(b)); }

constexpr double kOtherForm = 100;  // a batch of matrices is far from one matrix, rows of one width from another's

double flops_of(const BaselineOperator& op) { return 2 * real(op.batch) * real(op.m) * real(op.n) * real(op.k); }

/// Extrapolated where the operator is more than this many times the base, or less.
constexpr double kNear = 4;

void project(Cost& c, const BaselineCalibration& base, double seconds, double scale) {
  c.seconds = {seconds};
  c.launch = {std::min(c.launch.value, seconds)};
  c.model = "baseline";
  c.provenance = scale > kNear || scale < 1 / kNear ? Provenance::extrapolated : Provenance::interpolated;
  c.relative_error = base.relative_error;
}

/// Base over this device; 1 where the base does not say what it was measured on.
double resource(double base, double here) { return base > 0 && here > 0 ? base / here : 1; }

/// This device as the base was measured on it: single kernels, nothing unfused.
Device measured_on(const Device& device) {
  Device base;
  base.gpu = device.gpu;
  base.network = device.network;
  base.calibration = device.calibration;
  return base;
}

/// The bandwidth of the base device as a share of this one's.
Share share_of(double base, double here) { return {.bandwidth = resource(base, here)}; }

/// `c`, what the model says of the operator, times measured over modelled of the base.
void project_by_model(Cost& c, const Device& device, const BaselineOperator& base, double modelled, double scale) {
  if (modelled > 0) project(c, device.calibration->baseline, c.seconds.value * base.seconds.value / modelled, scale);
}

}  // namespace

Cost gemm_baseline(const Gemm& op, const Device& device, const Share& share) {
  Cost c = gemm_wave(op, device, share);
  const BaselineCalibration& base = device.calibration->baseline;
  const NearestOperator found = nearest(base, BaselineKind::gemm, [&](const BaselineOperator& o) {
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
  const BaselineCalibration& base = device.calibration->baseline;
  const double moved = op.read.value + op.written.value;
  const NearestOperator found = nearest(base, BaselineKind::vector, [&](const BaselineOperator& o) {
    if (o.part != name(op.kind) || o.bytes.value <= 0) return std::numeric_limits<double>::infinity();
    return ratio_distance(moved, o.bytes.value) + kOtherForm * ratio_distance(op.width, o.width) +
           (op.backward != o.backward ? kOtherForm * kOtherForm : 0);
  });
  if (!found.op || moved <= 0) return vector_kernel(op, device, share);
  Vector alike = op;
  if (found.op->width == 0) alike.width = 0;  // two widths or none
  Cost c = vector_kernel(alike, device, share);
  const Vector measured{.kind = op.kind,
                        .read = found.op->bytes,
                        .width = found.op->width,
                        .backward = found.op->backward,
                        .called = found.op->called};
  const Share there = share_of(base.bandwidth.value, device.gpu->memory_bandwidth.value);
  project_by_model(c, device, *found.op, vector_kernel(measured, measured_on(device), there).seconds.value,
                   moved / found.op->bytes.value);
  return c;
}

Cost lookup_baseline(const Lookup& op, const Device& device, const Share& share) {
  Cost c = lookup(op, device, share);
  const BaselineCalibration& base = device.calibration->baseline;
  const double moved = c.bytes_read + c.bytes_written;
  const NearestOperator found = nearest(base, BaselineKind::lookup, [&](const BaselineOperator& o) {
    return o.bytes.value > 0 ? ratio_distance(moved, o.bytes.value) : std::numeric_limits<double>::infinity();
  });
  if (!found.op || moved <= 0) return c;
  const Lookup measured{.rows = 1, .width = 1, .bytes_per_element = found.op->bytes.value / 2};  // read and written
  const Share there = share_of(base.bandwidth.value, device.gpu->memory_bandwidth.value);
  project_by_model(c, device, *found.op, lookup(measured, measured_on(device), there).seconds.value,
                   moved / found.op->bytes.value);
  return c;
}

Cost collective_baseline(const Collective& op, const Device& device, const Share& share) {
  Cost c = collective_alpha_beta(op, device, share);
  const BaselineCalibration& base = device.calibration->baseline;
  const NearestOperator found = nearest(base, BaselineKind::collective, [&](const BaselineOperator& o) {
    return o.part == name(op.kind) && o.bytes.value > 0
               ? ratio_distance(op.bytes.value, o.bytes.value) + kOtherForm * ratio_distance(op.group.ranks, o.ranks)
               : std::numeric_limits<double>::infinity();
  });
  if (!found.op || op.group.ranks <= 1 || op.bytes.value <= 0) return c;
  const Collective measured{.kind = op.kind,
                            .bytes = found.op->bytes,
                            .group = {found.op->ranks, {}},
                            .crossing = op.crossing,
                            .in_switch = op.in_switch};
  const Share there = share_of(base.network.value, device.network->front().bandwidth.value);
  project_by_model(c, device, *found.op, collective_alpha_beta(measured, device, there).seconds.value,
                   op.bytes.value / found.op->bytes.value);
  return c;
}

}  // namespace operator_models
