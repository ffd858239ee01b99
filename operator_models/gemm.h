// What the models of a GEMM share: what it moves and computes, the machine it runs on, and its waves.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "operator_models/models.h"

namespace operator_models {

/// A node of a table: its size, and the way to the next one.
struct PreparedNode {
  int64_t at = 0;
  double log = 0;       // log2 of `at`
  double per_step = 0;  // 1 / octaves to the next node
};

/// A row of the calibration as the models compute with it.
struct PreparedGemm {
  const GemmCalibration *row = nullptr, *own = nullptr;  // GemmRow (models.h)
  bool exact = true;                                     // row and peak are those of the precision itself
  double peak = 0;                                       // FLOP/s of the datasheet
  size_t tiles = 0;
  static constexpr size_t kTiles = 16;                            // further ones are left out
  std::array<double, kTiles> m{}, n{}, per_m{}, per_n{}, work{};  // tiles; their inverses; m * n / efficiency
  std::array<double, 8> series{};                                 // of (1 + x)^(1 / overlap), from x on
  std::array<std::vector<PreparedNode>, 3> nodes;                 // of m, n and k; empty: no table
  bool has_table() const { return !nodes[0].empty(); }
};

/// The part of the device that one GEMM may use, at the rates of its calibration.
struct GemmMachine {
  const PreparedGemm* prepared = nullptr;
  const GemmCalibration* row = nullptr;
  const GemmCalibration* own = nullptr;  // of the precision itself (GemmRow)
  bool exact = true;                     // the row and the peak are those of the operator's own precision
  double units = 1;                      // compute units
  double flops = 0;                      // FLOP/s of all of them with the best tile
  double peak = 0;                       // FLOP/s of the datasheet, times what holds under the power limit
  double bandwidth = 0;                  // bytes/s
};
GemmMachine gemm_machine(const Gemm& op, const Device& device, const Share& share);

/// Everything but the time: A and B read once, C written (and read, where it is added to).
Cost gemm_counted(const Gemm& op, const GemmMachine& machine, const char* model);

/// Seconds of the kernel alone, without its launch.
struct WaveTime {
  double seconds = 0, compute = 0, memory = 0, workgroups = 0, waves = 0;
};
/// REQUIRES: nothing of the shape is zero.
WaveTime wave_time(const Gemm& op, const GemmMachine& machine, double bytes);

/// Adds the launch, and the cast where the device times it too, and says what bounds the operator.
void set_gemm_time(Cost& c, const WaveTime& time, const Gemm& op, const GemmMachine& machine, const Device& device);

/// Seconds that a table of narrow operands timed together with the kernel: the cast of A.
inline double cast_seconds(const Gemm& op, const GemmCalibration& own) {
  const double rows = static_cast<double>(op.batch) * static_cast<double>(op.m);
  return own.cast_base.value + rows * std::max(own.cast_row.value, own.cast.value * static_cast<double>(op.k));
}

/// Time of this pass over the forward pass's.
double pass_factor(const Gemm& op, const GemmCalibration& row);

/// The same as std::ceil for what fits into 63 bits, without a call.
inline double ceiling(double x) {
  const double whole = static_cast<double>(static_cast<int64_t>(x));
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

/// Share of the waves' own steps in the time of `table`; the rest grows with FLOP and bytes. Below 1, so that a
/// correction may fall where the waves stand still and more work is never faster for it.
inline constexpr double kSteps = 0.7;

}  // namespace operator_models
