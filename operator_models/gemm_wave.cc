// GEMM on a tiled matrix engine.
//
// `wave`: the library cuts C into tiles and k into `splits` parts; each (tile, part) is a workgroup that one
// compute unit works on for 2*tile_m*tile_n*(k/splits + k_overhead) FLOP. The workgroups run in waves of as many
// as there are compute units, the last wave partly filled ("tile and wave quantization": NVIDIA, Matrix
// Multiplication Background User's Guide; Yan et al., "Demystifying tensor cores", IPDPS 2020; NeuSight, ASPLOS 2025).
// Split-K adds the parts' partial sums through memory (Osama et al., "Stream-K", PPoPP 2023, section 2).
#include <algorithm>
#include <array>
#include <span>

#include "operator_models/gemm.h"

namespace operator_models {
namespace {

constexpr auto kSplits = std::span(kPartsOfK).subspan(1);

/// x / step rounded up, for `per_step` = 1 / step and `up` = rounding_up(per_step): 2^52 has no bits below one.
Two steps(Two x, Two per_step, Two up) {
  constexpr double kOnes = 0x1p52;
  return (x * per_step + up + kOnes) - kOnes;
}

/// A tile's work per element of k, the last wave's idle part included, and its workgroups.
struct TileChoice {
  Two work, workgroups;
};

/// The tile with less work, of two equal ones the first.
TileChoice lesser(const TileChoice& first, const TileChoice& second) {
  const auto less = second.work < first.work;
  return {less ? second.work : first.work, less ? second.workgroups : first.workgroups};
}

/// One GEMM on one machine: what does not change with the parts along k is worked out once per tile.
template <size_t pairs> class Waves {
 public:
  Waves(const Gemm& op, const GemmMachine& machine) : tiles_(*machine.prepared), row_(*machine.row), machine_(machine) {
    const double batch = real(op.batch), m = real(op.m), n = real(op.n);
    results_ = batch * m * n;
    flop_seconds_ = 2 / machine.flops;
    const Two both_m{m, m}, both_n{n, n};
    for (size_t i = 0; i < pairs; ++i) {
      const TilePair& tile = tiles_.tiles[i];
      workgroups_[i] = batch * steps(both_m, tile.per_m, tile.up_m) * steps(both_n, tile.per_n, tile.up_n);
    }
  }

  /// The tile with the least compute time for `parts` along k of `k` elements each, prologue included.
  WaveTime best_tile(double parts, double k) const {
    const double units = machine_.units, per_unit = 1 / units, whole = 1 - row_.tail, last = row_.tail * units;
    const double up = rounding_up(per_unit);
    const Two all{units, units}, per_all{per_unit, per_unit}, up_all{up, up};
    auto priced = [&](size_t i) {
      const Two workgroups = parts * workgroups_[i];
      const Two paid = whole * workgroups + last * steps(workgroups, per_all, up_all);
      return TileChoice{(paid < all ? all : paid) * tiles_.tiles[i].work, workgroups};
    };
    TileChoice best = priced(0);
    for (size_t i = 1; i < pairs; ++i) best = lesser(best, priced(i));
    const size_t lane = best.work[1] < best.work[0] ? 1 : 0;
    return {.compute = best.work[lane] * flop_seconds_ * k,
            .workgroups = best.workgroups[lane],
            .waves = best.workgroups[lane] / units};
  }

  /// No tile takes less for `k` elements along k in all: every unit busy with the best of them.
  double least(double k) const { return results_ * flop_seconds_ * k; }

  double results() const { return results_; }

 private:
  const PreparedGemm& tiles_;
  const GemmCalibration& row_;
  const GemmMachine& machine_;
  double results_ = 0, flop_seconds_ = 0;
  std::array<Two, pairs> workgroups_;  // of one part
};

/// Compute and memory time joined: the max of the two for a large norm, their sum for 1.
inline WaveTime joined(WaveTime t, double memory, double split, const PreparedGemm& p) {
  t.memory = memory;
  t.split = split;
  t.over = p.powers->overlap(std::min(t.compute, memory) / std::max(t.compute, memory));
  return t;
}

template <size_t pairs> WaveTime waves_of(const Gemm& op, const GemmMachine& machine, double bytes) {
  const Waves<pairs> waves(op, machine);
  const GemmCalibration& row = *machine.row;
  const PreparedGemm& prepared = *machine.prepared;
  const double all_k = real(op.k), extra = row.split.value;
  WaveTime best = joined(waves.best_tile(1, all_k + row.k_overhead), bytes / machine.bandwidth, 0, prepared);
  double bound =
      best.most() * (1 + best.over);  // not below its seconds (norms are at least 1), which take longer to work out
  for (const double parts : kSplits) {
    const double memory = (bytes + 2 * kPartialSumBytes * parts * waves.results()) / machine.bandwidth;
    // Prologues and partial sums grow with the parts: what cannot win now never will.
    if (std::max(waves.least(all_k + parts * row.k_overhead), memory) + extra >= bound) break;
    bound = wave_seconds(best, prepared);
    const WaveTime t = waves.best_tile(parts, ceiling(all_k / parts) + row.k_overhead);
    if (std::max(t.compute, memory) + extra >= bound) continue;
    const WaveTime split = joined(t, memory, extra, prepared);
    if (wave_seconds(split, prepared) < bound) best = split;
  }
  return best;
}

}  // namespace

WaveTime wave_time(const Gemm& op, const GemmMachine& machine, double bytes) {
  constexpr size_t kFew = PreparedGemm::kFew / 2, kMost = PreparedGemm::kTiles / 2;
  return machine.prepared->pairs == kFew ? waves_of<kFew>(op, machine, bytes) : waves_of<kMost>(op, machine, bytes);
}

Cost gemm_wave(const Gemm& op, const Device& device, const Share& share) {
  const GemmMachine machine = gemm_machine(op, device, share);
  Cost c = gemm_counted(op, machine, "wave");
  if (no_work(op)) return c;
  WaveTime time = wave_time(op, machine, c.bytes_read + c.bytes_written);
  time.seconds = wave_seconds(time, *machine.prepared) * layout_factor(op, *machine.row);
  set_gemm_time(c, time, op, machine, device);
  return c;
}

}  // namespace operator_models
