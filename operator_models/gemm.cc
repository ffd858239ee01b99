// GEMM on a tiled matrix engine.
//
// `wave`: the library cuts C into tiles and k into `splits` parts; each (tile, part) is a workgroup that one
// compute unit works on for 2*tile_m*tile_n*(k/splits + k_overhead) FLOP. The workgroups run in waves of as many
// as there are compute units, the last wave partly filled ("tile and wave quantization": NVIDIA, Matrix
// Multiplication Background User's Guide; Yan et al., "Demystifying tensor cores", IPDPS 2020; NeuSight, ASPLOS 2025).
// Split-K adds the parts' partial sums through memory (Osama et al., "Stream-K", PPoPP 2023, section 2).
#include <algorithm>
#include <cmath>
#include <limits>

#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr double kSplits[] = {1, 2, 3, 4, 6, 8, 12, 16};
constexpr double kPartialSumBytes = 4;  // split-K adds in fp32

struct Machine {
  double units, unit_flops, bandwidth;  // unit_flops: sustained FLOP/s of one compute unit with the best tile
};

struct Plan {
  double seconds = std::numeric_limits<double>::infinity();
  double compute = 0, memory = 0, workgroups = 0, waves = 0;
};

/// Time in units of a whole wave; `tail` of the empty part of the last one is paid for.
double paid_waves(double waves, double tail) { return std::max(1.0, (1 - tail) * waves + tail * std::ceil(waves)); }

/// Joins compute and memory time: max of the two for a large norm, their sum for 1.
double joined(double compute, double memory, double norm) {
  double most = std::max(compute, memory);
  if (most <= 0) return 0;
  return most * std::pow(1 + std::pow(std::min(compute, memory) / most, norm), 1 / norm);
}

/// The tile with the least compute time when k is cut in `splits` parts.
Plan best_tile(const Gemm& op, const GemmCalibration& row, const Machine& machine, double splits) {
  Plan best;
  best.compute = std::numeric_limits<double>::infinity();
  double k = std::ceil(static_cast<double>(op.k) / splits) + row.k_overhead;
  size_t tiles = std::min({row.tile_m.size(), row.tile_n.size(), row.tile_efficiency.size()});
  for (size_t i = 0; i < tiles; ++i) {
    double tm = static_cast<double>(row.tile_m[i]), tn = static_cast<double>(row.tile_n[i]);
    double workgroups = static_cast<double>(op.batch) * splits * std::ceil(static_cast<double>(op.m) / tm) *
                        std::ceil(static_cast<double>(op.n) / tn);
    double waves = workgroups / machine.units;
    double compute = paid_waves(waves, row.tail) * 2 * tm * tn * k / (row.tile_efficiency[i] * machine.unit_flops);
    if (compute < best.compute) best = {0, compute, 0, workgroups, waves};
  }
  return best;
}

Plan best_plan(const Gemm& op, const GemmCalibration& row, const Machine& machine, double bytes) {
  double results = static_cast<double>(op.batch) * static_cast<double>(op.m) * static_cast<double>(op.n);
  Plan best;
  for (double splits : kSplits) {
    if (splits > static_cast<double>(op.k)) break;
    Plan p = best_tile(op, row, machine, splits);
    double partial = splits > 1 ? 2 * kPartialSumBytes * splits * results : 0;
    p.memory = (bytes + partial) / machine.bandwidth;
    p.seconds = joined(p.compute, p.memory, row.overlap) + (splits > 1 ? row.split.value : 0);
    if (p.seconds < best.seconds) best = p;
  }
  return best;
}

/// Everything but the time: A and B read once, C written (and read, where it is added to).
Cost counted(const Gemm& op) {
  double batch = static_cast<double>(op.batch), m = static_cast<double>(op.m), n = static_cast<double>(op.n),
         k = static_cast<double>(op.k);
  Cost c;
  c.flops = 2 * batch * m * n * k;
  c.bytes_written = batch * m * n * op.c_bytes;
  c.bytes_read = batch * (m * k * op.a_bytes + k * n * op.b_bytes) + (op.accumulate ? c.bytes_written : 0);
  return c;
}

void set_source(Cost& c, const GemmRow& calibrated, const Rate& rate, const char* model) {
  bool exact = calibrated.exact && rate.exact;
  c.model = model;
  c.provenance = exact ? calibrated.row->provenance : Provenance::assumed;
  c.relative_error = calibrated.row->relative_error;
}

void set_time(Cost& c, double compute, double memory, double seconds, const Device& device) {
  c.launch = launch_of(device);
  c.seconds = c.launch + dsl::Seconds{seconds};
  double most = std::max(compute, memory);
  c.bound = most < c.launch.value ? Bound::launch : compute >= memory ? Bound::compute : Bound::memory;
}

/// Short kernels draw on thermal and power reserves that a step does not have.
double held(const GemmCalibration& row, const Device& device) { return device.bursts ? 1 : row.sustained; }

bool empty(const Gemm& op) { return op.batch <= 0 || op.m <= 0 || op.n <= 0 || op.k <= 0; }

}  // namespace

Cost gemm_wave(const Gemm& op, const Device& device, const Share& share) {
  Cost c = counted(op);
  GemmRow calibrated = gemm_row(*device.calibration, op.precision);
  Rate rate = matrix_peak(*device.gpu, op.precision);
  set_source(c, calibrated, rate, "wave");
  if (empty(op)) return c;
  const GemmCalibration& row = *calibrated.row;
  static const GemmCalibration defaults;
  const GemmCalibration& tiled =
      row.tile_m.empty() || row.tile_n.empty() || row.tile_efficiency.empty() ? defaults : row;
  Machine machine;
  machine.units = std::max(1.0, std::floor(static_cast<double>(device.gpu->compute_units) * share.compute_units));
  machine.unit_flops = rate.peak.value * row.compute_efficiency * held(row, device) /
                       std::max<double>(1, static_cast<double>(device.gpu->compute_units));
  machine.bandwidth = device.gpu->memory_bandwidth.value * row.memory_efficiency * share.bandwidth;
  Plan best = best_plan(op, tiled, machine, c.bytes_read + c.bytes_written);
  set_time(c, best.compute, best.memory, best.seconds, device);
  c.workgroups = best.workgroups;
  c.waves = best.waves;
  c.occupancy = best.waves / std::ceil(best.waves);
  return c;
}

Cost gemm_roofline(const Gemm& op, const Device& device, const Share& share) {
  Cost c = counted(op);
  GemmRow calibrated = gemm_row(*device.calibration, op.precision);
  Rate rate = matrix_peak(*device.gpu, op.precision);
  set_source(c, calibrated, rate, "roofline");
  if (empty(op)) return c;
  double compute = c.flops / (rate.peak.value * calibrated.row->roofline_efficiency * held(*calibrated.row, device) *
                              share.compute_units);
  double memory = (c.bytes_read + c.bytes_written) /
                  (device.gpu->memory_bandwidth.value * calibrated.row->memory_efficiency * share.bandwidth);
  set_time(c, compute, memory, std::max(compute, memory), device);
  return c;
}

}  // namespace operator_models
