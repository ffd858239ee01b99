// `table`: corrections of the waves, measured on a coarse grid of m, n and k and interpolated in their logarithms.
//
//     seconds = launch + f(m, n, k) * waves^0.7 * ideal^0.3          ideal = FLOP / rate + bytes / bandwidth
//
// Between the nodes f is linear in each logarithm. For an octave beyond the outermost nodes the correction stays as
// it is there, and in the next it fades to the waves alone. f may fall with a size, yet no faster than ideal^0.3 rises:
// the fit sees to it (calibrate/gemm_table_fit.cc), so more work is never faster.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "operator_models/gemm.h"

namespace operator_models {
namespace {

/// x^(1 - kSteps) by one look-up and a short series: a logarithm and a power would take longer than all tiles.
class LessSteep {
 public:
  LessSteep() {
    for (int i = 0; i < kOctaves; ++i) octave_[static_cast<size_t>(i)] = std::exp2(kPower * (i - kOctaves / 2));
    for (size_t i = 0; i < kParts; ++i) {
      const double middle = 1 + (static_cast<double>(i) + 0.5) / kParts;
      part_[i] = std::pow(middle, kPower);
      inverse_[i] = 1 / middle;
    }
  }

  double operator()(double x) const {
    const uint64_t bits = std::bit_cast<uint64_t>(x), octave = (bits >> 52) - (1023 - kOctaves / 2);
    if (octave >= kOctaves) return std::pow(x, kPower);
    const size_t part = bits >> 46 & (kParts - 1);
    const double r = std::bit_cast<double>((bits & (~0ULL >> 12)) | 1023ULL << 52) * inverse_[part] - 1, r2 = r * r;
    const double series = 1 + r * ((b1 + b2 * r) + r2 * ((b3 + b4 * r) + r2 * (b5 + b6 * r)));
    return octave_[octave] * part_[part] * series;
  }

 private:
  static constexpr double kPower = 1 - kSteps;
  static constexpr double b1 = kPower, b2 = b1 * (kPower - 1) / 2, b3 = b2 * (kPower - 2) / 3,
                          b4 = b3 * (kPower - 3) / 4, b5 = b4 * (kPower - 4) / 5, b6 = b5 * (kPower - 5) / 6;
  static constexpr int kOctaves = 64;
  static constexpr size_t kParts = 64;
  std::array<double, kOctaves> octave_;
  std::array<double, kParts> part_, inverse_;
};
const LessSteep kLessSteep;

constexpr double kFaded = 2;  // octaves beyond the outermost node; at one the correction begins to fade

struct Position {
  size_t cell = 0;
  double share = 0;    // of the way to the next node
  double outside = 0;  // octaves beyond the outermost node
};

/// log2, exact and without a call for what most sizes are.
double octaves(int64_t x) {
  return (x & (x - 1)) == 0 ? std::countr_zero(static_cast<uint64_t>(x)) : std::log2(static_cast<double>(x));
}

inline Position locate(const std::vector<PreparedNode>& nodes, int64_t x) {
  const PreparedNode &first = nodes.front(), &last = nodes.back();
  if (x < first.at) return {0, 0, first.log - octaves(x)};
  if (x >= last.at) return {nodes.size() - 2, 1, octaves(x) - last.log};
  const PreparedNode* node = &first;
  while (x >= node[1].at) ++node;
  return {static_cast<size_t>(node - &first), (octaves(x) - node->log) * node->per_step, 0};
}

bool ascending(const std::vector<int64_t>& nodes) {
  return nodes.size() > 1 && std::adjacent_find(nodes.begin(), nodes.end(), std::greater_equal<>()) == nodes.end();
}

}  // namespace

bool has_table(const GemmCalibration& row) {
  return !row.table.empty() && row.table.size() == row.table_m.size() * row.table_n.size() * row.table_k.size() &&
         ascending(row.table_m) && ascending(row.table_n) && ascending(row.table_k);
}

TableFactor table_factor(const PreparedGemm& prepared, int64_t m, int64_t n, int64_t k) {
  const auto& [of_m, of_n, of_k] = prepared.nodes;
  const Position pm = locate(of_m, m), pn = locate(of_n, n), pk = locate(of_k, k);
  const double outside = std::max({pm.outside, pn.outside, pk.outside});
  if (outside >= kFaded) return {};
  const size_t along_n = of_k.size(), along_m = along_n * of_n.size();
  const double* corner = prepared.row->table.data() + pm.cell * along_m + pn.cell * along_n + pk.cell;
  auto edge = [&](const double* at) { return at[0] + pk.share * (at[1] - at[0]); };
  auto face = [&](const double* at) {
    const double near = edge(at);
    return near + pn.share * (edge(at + along_n) - near);
  };
  const double near = face(corner);
  return {near + pm.share * (face(corner + along_m) - near), std::min(1.0, kFaded - outside)};
}

namespace {

/// REQUIRES: the table weighs something there.
Cost corrected(const Gemm& op, const GemmMachine& machine, const TableFactor& table, const Device& device) {
  Cost c = gemm_counted(op, machine, "table");
  const double bytes = c.bytes_read + c.bytes_written;
  WaveTime time = wave_time(op, machine, bytes);
  const double ideal = c.flops / machine.flops + bytes / machine.bandwidth;
  double factor = kLessSteep(ideal / time.seconds) * table.factor;
  if (table.weight < 1) factor = std::pow(factor, table.weight);
  time.seconds *= factor * pass_factor(op, *machine.row);
  set_gemm_time(c, time, op, machine, device);
  c.workgroups = time.workgroups;
  c.waves = time.waves;
  c.occupancy = time.waves / ceiling(time.waves);
  return c;
}

/// One GEMM after the other was measured: many side by side fill the device as waves say, yet none is for nothing.
Cost side_by_side(const Gemm& op, const Device& device, const Share& share) {
  Gemm one = op;
  one.batch = 1;
  Cost many = gemm_wave(op, device, share);
  many.seconds = std::max(many.seconds, gemm_table(one, device, share).seconds);
  return many;
}

Cost outside(const Gemm& op, const GemmMachine& machine, const Device& device, const Share& share) {
  Cost c = gemm_wave(op, device, share);
  const bool fitted = machine.exact && machine.row->provenance <= Provenance::interpolated;
  if (fitted && machine.prepared->has_table() && !no_work(op)) c.provenance = Provenance::extrapolated;
  return c;
}

}  // namespace

Cost gemm_table(const Gemm& op, const Device& device, const Share& share) {
  if (op.batch > 1) return side_by_side(op, device, share);
  const GemmMachine machine = gemm_machine(op, device, share);
  if (no_work(op) || !machine.prepared->has_table()) return outside(op, machine, device, share);
  const TableFactor table = table_factor(*machine.prepared, op.m, op.n, op.k);
  if (table.weight <= 0) return outside(op, machine, device, share);
  return corrected(op, machine, table, device);
}

}  // namespace operator_models
