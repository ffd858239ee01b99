// GEMM on a tiled matrix engine.
//
// `wave`: the library cuts C into tiles and k into `splits` parts; each (tile, part) is a workgroup that one
// compute unit works on for 2*tile_m*tile_n*(k/splits + k_overhead) FLOP. The workgroups run in waves of as many
// as there are compute units, the last wave partly filled ("tile and wave quantization": NVIDIA, Matrix
// Multiplication Background User's Guide; Yan et al., "Demystifying tensor cores", IPDPS 2020; NeuSight, ASPLOS 2025).
// Split-K adds the parts' partial sums through memory (Osama et al., "Stream-K", PPoPP 2023, section 2).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "operator_models/gemm.h"

namespace operator_models {
namespace {

constexpr double kSplits[] = {1, 2, 3, 4, 6, 8, 12, 16};
constexpr double kPartialSumBytes = 4;  // split-K adds in fp32

/// (1 + x)^(1 / overlap) for x in [0, 1]: its series where eight terms hold all digits, which needs no logarithm.
double root_above_one(double x, const PreparedGemm& p) {
  if (x > 1.0 / 32) return std::exp2(std::log2(1 + x) / p.row->overlap);
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8] = p.series;
  const double x2 = x * x;
  return 1 + x * (((b1 + b2 * x) + x2 * (b3 + b4 * x)) + x2 * x2 * ((b5 + b6 * x) + x2 * (b7 + b8 * x)));
}

/// Joins compute and memory time: max of the two for a large norm, their sum for 1.
double joined(double compute, double memory, const PreparedGemm& p) {
  const double most = std::max(compute, memory);
  if (most <= 0) return 0;
  // Powers by exp2 and log2, which are several times as fast as std::pow.
  return most * root_above_one(std::exp2(p.row->overlap * std::log2(std::min(compute, memory) / most)), p);
}

/// x / step rounded up, for `per_step` = 1 / step: exact, and no division (2^52 has no bits below one).
double steps(double x, double per_step, double step) {
  constexpr double kOnes = 0x1p52;
  const double nearest = (x * per_step + kOnes) - kOnes;
  return nearest + (nearest * step < x ? 1 : 0);
}

/// One GEMM on one machine: what does not change with the parts along k is worked out once per tile.
class Waves {
 public:
  Waves(const Gemm& op, const GemmMachine& machine) : tiles_(*machine.prepared), row_(*machine.row), machine_(machine) {
    const double batch = static_cast<double>(op.batch), m = static_cast<double>(op.m), n = static_cast<double>(op.n);
    results_ = batch * m * n;
    flop_seconds_ = 2 / machine.flops;
    for (size_t i = 0; i < tiles_.tiles; ++i)
      workgroups_[i] = batch * steps(m, tiles_.per_m[i], tiles_.m[i]) * steps(n, tiles_.per_n[i], tiles_.n[i]);
  }

  /// The tile with the least compute time for `parts` along k of `k` elements each, prologue included.
  WaveTime best_tile(double parts, double k) const {
    const double units = machine_.units, per_unit = 1 / units, tail = row_.tail;
    std::array<double, PreparedGemm::kTiles> work{};  // per element of k, the last wave's idle part included
    for (size_t i = 0; i < tiles_.tiles; ++i) {
      const double workgroups = parts * workgroups_[i];
      const double partial = steps(workgroups, per_unit, units) * units - workgroups;
      work[i] = std::max(units, workgroups + tail * partial) * tiles_.work[i];
    }
    size_t best = 0;
    double least_work = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < tiles_.tiles; ++i)
      if (work[i] < least_work) least_work = work[best = i];
    const double workgroups = parts * workgroups_[best];
    return {0, least_work * flop_seconds_ * k, 0, workgroups, workgroups / units};
  }

  /// No tile takes less for `k` elements along k in all: every unit busy with the best of them.
  double least(double k) const { return results_ * flop_seconds_ * k; }

  double results() const { return results_; }

 private:
  const PreparedGemm& tiles_;
  const GemmCalibration& row_;
  const GemmMachine& machine_;
  double results_ = 0, flop_seconds_ = 0;
  std::array<double, PreparedGemm::kTiles> workgroups_;  // of one part
};

}  // namespace

WaveTime wave_time(const Gemm& op, const GemmMachine& machine, double bytes) {
  const Waves waves(op, machine);
  const GemmCalibration& row = *machine.row;
  const double all_k = static_cast<double>(op.k);
  WaveTime best;
  best.seconds = std::numeric_limits<double>::infinity();
  for (const double parts : kSplits) {
    const double k = ceiling(all_k / parts) + row.k_overhead, extra = parts > 1 ? row.split.value : 0;
    const double partial = parts > 1 ? 2 * kPartialSumBytes * parts * waves.results() : 0;
    const double memory = (bytes + partial) / machine.bandwidth;
    // Prologues and partial sums grow with the parts: what cannot win now never will.
    if (std::max(waves.least(all_k + parts * row.k_overhead), memory) + extra >= best.seconds) break;
    WaveTime t = waves.best_tile(parts, k);
    if (std::max(t.compute, memory) + extra >= best.seconds) continue;
    t.memory = memory;
    t.seconds = joined(t.compute, memory, *machine.prepared) + extra;
    if (t.seconds < best.seconds) best = t;
  }
  return best;
}

Cost gemm_wave(const Gemm& op, const Device& device, const Share& share) {
  const GemmMachine machine = gemm_machine(op, device, share);
  Cost c = gemm_counted(op, machine, "wave");
  if (no_work(op)) return c;
  WaveTime time = wave_time(op, machine, c.bytes_read + c.bytes_written);
  time.seconds *= pass_factor(op, *machine.row);
  set_gemm_time(c, time, op, machine, device);
  c.workgroups = time.workgroups;
  c.waves = time.waves;
  c.occupancy = time.waves / ceiling(time.waves);
  return c;
}

}  // namespace operator_models
