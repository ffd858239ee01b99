// `table`: corrections of the waves, measured on a coarse grid of m, n and k and interpolated in their logarithms.
//
//     seconds = launch + f(m, n, k) * waves^0.7 * ideal^0.3          ideal = FLOP / rate + bytes / bandwidth
//
// Between the nodes f is linear in each logarithm. For an octave beyond the outermost nodes the correction stays as
// it is there, and in the next it fades to the waves alone. f may fall with a size, yet no faster than ideal^0.3 rises:
// the fit sees to it (calibrate/gemm_table_fit.cc), so more work is never faster.
#include <algorithm>
#include <cmath>

#include "operator_models/gemm.h"

namespace operator_models {
namespace {

const Power kLessSteep{1 - kSteps};

constexpr double kFaded = 2;  // octaves beyond the outermost node; at one the correction begins to fade

struct AxisPosition {
  size_t cell = 0;
  double share = 0;    // of the way to the next node
  double outside = 0;  // octaves beyond the outermost node
};

inline AxisPosition locate(const PreparedAxis& axis, int64_t x) {
  const PreparedNode &first = axis.nodes.front(), &last = axis.nodes.back();
  const double size = real(x), octaves = kLog2(size);
  if (x < first.at) return {0, 0, first.log - octaves};
  if (x >= last.at) return {axis.nodes.size() - 2, 1, octaves - last.log};
  size_t cell = axis.cell[OctaveParts::octave_of(size) - OctaveParts::kOctaves / 2];
  while (x >= axis.nodes[cell].next) ++cell;
  return {cell, (octaves - axis.nodes[cell].log) * axis.nodes[cell].per_step, 0};
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
  const PreparedAxis &of_m = *prepared.axes[0], &of_n = *prepared.axes[1], &of_k = *prepared.axes[2];
  const AxisPosition pm = locate(of_m, m), pn = locate(of_n, n), pk = locate(of_k, k);
  const double outside = std::max({pm.outside, pn.outside, pk.outside});
  if (outside >= kFaded) return {};
  const size_t along_n = of_k.nodes.size(), along_m = along_n * of_n.nodes.size();
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

/// f * waves^kSteps * ideal^(1 - kSteps), or what its weight leaves of it. One kernel's is taken apart into powers that
/// do not wait for each other.
double blended(const WaveTime& t, double ideal, const TableFactor& table, const PreparedGemm& p) {
  if (table.weight == 1 && t.split == 0)
    return table.factor * t.most() * kLessSteep(ideal / t.most()) * p.powers->steps(1 + t.over);
  const double waves = wave_seconds(t, p);
  return waves * std::pow(table.factor * kLessSteep(ideal / waves), table.weight);
}

/// REQUIRES: the table weighs something there.
Cost corrected(const Gemm& op, const GemmMachine& machine, const TableFactor& table, const Device& device) {
  Cost c = gemm_counted(op, machine, "table");
  const double bytes = c.bytes_read + c.bytes_written;
  const double ideal = c.flops / machine.flops + bytes / machine.bandwidth;
  WaveTime time = wave_time(op, machine, bytes);
  time.seconds = blended(time, ideal, table, *machine.prepared) * layout_factor(op, *machine.row);
  set_gemm_time(c, time, op, machine, device);
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
  const GemmMachine machine = gemm_machine(op, device, share);
  if (in_one_kernel(op) && machine.prepared->grouped) return gemm_grouped(op, machine, device);
  if (op.batch > 1) return side_by_side(op, device, share);
  if (no_work(op) || !machine.prepared->has_table()) return outside(op, machine, device, share);
  const TableFactor table = table_factor(*machine.prepared, op.m, op.n, op.k);
  if (table.weight <= 0) return outside(op, machine, device, share);
  return corrected(op, machine, table, device);
}

}  // namespace operator_models
