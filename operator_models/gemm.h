// Shared by the models of a GEMM: its traffic and work, its machine, and its waves.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "operator_models/models.h"
#include "operator_models/power.h"

namespace operator_models {

/// Share of the waves' own steps in the time of `table`; the rest grows with FLOP and bytes. It is below 1, so that a
/// correction may fall where the number of waves is constant, without making more work faster.
inline constexpr double kSteps = 0.7;

inline constexpr double kPartialSumBytes = 4;  // split-K adds in fp32

/// A node of a table: its size, and the way to the next one.
struct PreparedNode {
  int64_t at = 0, next = 0;
  double log = 0;       // log2 of `at`
  double per_step = 0;  // 1 / octaves to the next node
};
struct PreparedAxis {
  explicit PreparedAxis(const std::vector<int64_t>& sizes);
  std::vector<PreparedNode> nodes;
  std::array<uint8_t, 64> cell{};  // by the octave of a size: one that is not above any such size
};

/// Two numbers that one instruction works on; a comparison gives a mask, as of all vectors of GCC and clang.
using Two = double __attribute__((vector_size(16)));

/// Two tiles: the inverses of their sizes, the factors that round up by them (gemm_wave.cc), and m * n / efficiency.
struct TilePair {
  Two per_m{}, per_n{}, up_m{}, up_n{}, work{};
};

/// Parts that libraries cut k into.
inline constexpr std::array<double, 8> kPartsOfK{1, 2, 3, 4, 6, 8, 12, 16};

/// x / step, rounded to the nearest whole number with this added, is rounded up (whole x and step, up to 2^50): then it
/// lies at least half a step from the middle between two.
constexpr double rounding_up(double per_step) { return 0.5 - 0.5 * per_step; }

/// x to the norm that joins compute and memory time, to 1 / norm, and to kSteps / norm.
struct Powers {
  explicit Powers(double norm) : overlap(norm), root(1 / norm), steps(kSteps / norm) {}
  Power overlap, root, steps;
};

/// A row of the calibration as the models compute with it.
struct PreparedGemm {
  const GemmCalibration *row = nullptr, *own = nullptr;  // GemmRow (models.h)
  const GroupedCalibration* grouped = nullptr;           // null: experts side by side are a batch
  bool exact = true;                                     // row and peak are those of the precision itself
  double units = 1;                                      // of compute units that work on a tile, in the device
  double peak = 0;                                       // FLOP/s of the datasheet
  double flops = 0, bandwidth = 0;                       // of the device with the best tile, in bursts; of its memory
  static constexpr size_t kTiles = 16, kFew = 8;         // further ones are left out; most rows have few
  size_t pairs = 0;                                      // of tiles: each of the first half with one of the second
  std::array<TilePair, kTiles / 2> tiles{};              // padding of the last ones is never best
  std::shared_ptr<const Powers> powers;
  std::array<std::shared_ptr<const PreparedAxis>, 3> axes;  // of m, n and k; null: no table
  bool has_table() const { return axes[0] != nullptr; }
};

/// The part of the device that one GEMM may use, at the rates of its calibration.
struct GemmMachine {
  const PreparedGemm* prepared = nullptr;
  const GemmCalibration* row = nullptr;
  const GemmCalibration* own = nullptr;  // of the precision itself (GemmRow)
  bool exact = true;                     // the row and the peak are those of the operator's own precision
  double units = 1;                      // likewise
  double flops = 0;                      // FLOP/s of all of them with the best tile
  double peak = 0;                       // FLOP/s of the datasheet, times the share that the power limit sustains
  double bandwidth = 0;                  // bytes/s
};
GemmMachine gemm_machine(const Gemm& op, const Device& device, const Share& share);

/// Everything but the time: A and B read once, C written (and read, where it is added to).
Cost gemm_counted(const Gemm& op, const GemmMachine& machine, const char* model);

/// Seconds of the kernel alone, without its launch.
struct WaveTime {
  double seconds = 0, compute = 0, memory = 0, workgroups = 0, waves = 0;
  double over = 0, split = 0;  // see wave_seconds
  double most() const { return std::max(compute, memory); }
};
inline double wave_seconds(const WaveTime& t, const PreparedGemm& p) {
  return t.most() * p.powers->root(1 + t.over) + t.split;
}
/// The fastest way; `seconds` is left to wave_seconds. REQUIRES: nothing of the shape is zero.
WaveTime wave_time(const Gemm& op, const GemmMachine& machine, double bytes);

/// Adds the launch, and the cast if the device times it too; sets the waves and the bound of the operator.
void set_gemm_time(Cost& c, const WaveTime& time, const Gemm& op, const GemmMachine& machine, const Device& device);

/// Seconds that a table of narrow operands timed together with the kernel: the cast of A.
inline double cast_seconds(const Gemm& op, const GemmCalibration& own) {
  const double rows = real(op.batch) * real(op.m);
  return own.cast_base.value + rows * std::max(own.cast_row.value, own.cast.value * real(op.k));
}

/// Experts side by side: a single one is a GEMM like others, unless a table timed it.
inline bool in_one_kernel(const Gemm& op) { return op.grouped && (op.batch > 1 || op.layer.ffn > 0); }

/// A kernel for all experts of a rank (grouped_gemm.cc). REQUIRES: the machine has a row of such kernels.
Cost gemm_grouped(const Gemm& op, const GemmMachine& machine, const Device& device);

/// Time of this pass and of its rows over that of the forward pass with aligned rows.
double layout_factor(const Gemm& op, const GemmCalibration& row);

/// Rounds up like std::ceil for values that fit into 63 bits, without a call.
inline double ceiling(double x) {
  const double whole = real(static_cast<int64_t>(x));
  return whole + (whole < x ? 1 : 0);
}

inline bool no_work(const Gemm& op) { return op.batch <= 0 || op.m <= 0 || op.n <= 0 || op.k <= 0; }

/// Corrections of a table at a shape (gemm_table.cc).
struct TableFactor {
  double factor = 1;
  double weight = 0;  // 1 inside the hull and an octave beyond, 0 from two octaves on
};
/// REQUIRES: it has one.
TableFactor table_factor(const PreparedGemm& prepared, int64_t m, int64_t n, int64_t k);

/// The table holds a number for each of its nodes.
bool has_table(const GemmCalibration& row);

}  // namespace operator_models
