// Experts of a rank in one kernel: tiles of 128 x 128 that never span two experts, in whole waves.
//
//     waves   = ceil(experts * ceil(rows/128) * ceil(n/128) / units)
//     compute = waves * 2*128*128 * |k, k_overhead|_4 / (efficiency * peak / units)
//     memory  = ramp + bytes / (memory_efficiency * bandwidth)
//     seconds = launch + |compute, memory|_4
//
// CUTLASS and DeepGEMM schedule such tiles over the compute units (persistent kernels): the start and the end of one
// hide under the depth of the next, so that a shallow tile takes as long as one of k_overhead.
#include <algorithm>
#include <cmath>

#include "operator_models/gemm.h"

namespace operator_models {
namespace {

constexpr double kTile = 128;
constexpr double kWide = 2;             // bytes of what activations read, and of the sum
constexpr int64_t kSortedAtOnce = 256;  // tokens that one kernel sorts (TensorRT-LLM's fused prologue)

/// |a, b|_4: the larger, and a fifth more where both are equal.
double joined(double a, double b) { return std::sqrt(std::hypot(a * a, b * b)); }

/// Steps hold what power leaves of one dense GEMM: experts in bursts may lie below and lose nothing, or above.
double share_of_peak(const GemmMachine& machine, const Device& device) {
  const double alone = machine.prepared->grouped->efficiency;
  return device.bursts ? alone : std::min(alone, machine.row->compute_efficiency * machine.own->sustained);
}

WaveTime grouped_time(const Gemm& op, const Cost& counted, const GemmMachine& machine, const Device& device) {
  const GroupedCalibration& row = *machine.prepared->grouped;
  const double tiles = real(op.batch) * ceiling(real(op.m) / kTile) * ceiling(real(op.n) / kTile);
  const double cluster = real(machine.row->cluster);
  const double rate = share_of_peak(machine, device) * machine.prepared->peak / (machine.prepared->units * cluster);
  const double bandwidth = machine.bandwidth / machine.row->memory_efficiency * row.memory_efficiency;
  WaveTime t{.workgroups = tiles, .waves = tiles / (machine.units * cluster)};
  t.compute = ceiling(t.waves) * 2 * kTile * kTile * joined(real(op.k), row.k_overhead) / rate;
  t.memory = row.ramp.value + (counted.bytes_read + counted.bytes_written) / bandwidth;
  t.seconds = joined(t.compute, t.memory) * layout_factor(op, *machine.row);
  return t;
}

/// The GEMM behind the activation.
Gemm second_of(const Gemm& op) {
  Gemm second = op;
  second.n = op.k;
  second.k = op.layer.ffn;
  second.layer = {};
  return second;
}

/// Copies of tokens on this rank. Scales of blocks lie in tiles, so that each expert has whole ones.
double rows_beside(const Gemm& op) {
  const double rows = real(op.m);
  const bool blocks = op.precision == Precision::mxfp8 || op.precision == Precision::nvfp4;
  return real(op.batch) * (blocks ? ceiling(rows / kTile) * kTile : rows);
}

/// What a table times beside both GEMMs: every token is read and its sum written, every copy of this rank is sorted,
/// activated and added.
double beside(const Gemm& op, const GroupedCalibration& row, double bandwidth) {
  const double tokens = real(op.layer.tokens), width = real(op.k);
  const double rows = real(op.batch) * real(op.m);
  const double activated = real(op.n) * kWide + real(op.layer.ffn) * op.a_bytes;
  const double bytes =
      (tokens + std::min(tokens, rows)) * width * kWide + rows * (width * (op.a_bytes + kWide) + activated);
  const double sorted = op.layer.tokens > kSortedAtOnce ? row.layer_sort.value : 0;
  return row.layer_base.value + sorted + tokens * real(op.layer.top_k) * row.layer_copy.value +
         rows_beside(op) * row.layer_row.value + bytes / (row.layer_efficiency * bandwidth);
}

}  // namespace

Cost gemm_grouped(const Gemm& op, const GemmMachine& machine, const Device& device) {
  Cost c = gemm_counted(op, machine, "table");
  if (no_work(op)) return c;
  const GroupedCalibration& row = *machine.prepared->grouped;
  c.provenance = machine.exact && !op.unaligned ? row.provenance : Provenance::assumed;
  c.relative_error = row.relative_error;
  const WaveTime time = grouped_time(op, c, machine, device);
  set_gemm_time(c, time, op, machine, device);
  if (op.layer.ffn == 0) return c;
  c.seconds += gemm_grouped(second_of(op), machine, device).seconds;
  c.seconds += dsl::Seconds{beside(op, row, device.gpu->memory_bandwidth.value)};
  return c;
}

}  // namespace operator_models
