// `table`: corrections of the waves, measured on a coarse grid of m, n and k and interpolated in their logarithms.
//
//     seconds = launch + f(m, n, k) * waves^0.7 * ideal^0.3          ideal = FLOP / rate + bytes / bandwidth
//
// Between the nodes f is linear in each logarithm. For an octave beyond the outermost nodes the correction stays as
// it is there, and in the next it fades to the waves alone. f may fall with a size, yet no faster than ideal^0.3 rises:
// the fit sees to it (calibrate/gemm_table_fit.cc), so more work is never faster.
#include <algorithm>
#include <bit>
#include <cmath>

#include "operator_models/gemm.h"

namespace operator_models {
namespace {

constexpr double kFaded = 2;  // octaves beyond the outermost node; at one the correction begins to fade

struct Position {
  size_t cell = 0;
  double share = 0;    // of the way to the next node
  double outside = 0;  // octaves beyond the outermost node
};

double octaves(int64_t from, int64_t to) {
  const auto a = static_cast<uint64_t>(from), b = static_cast<uint64_t>(to);
  if ((a & (a - 1)) == 0 && (b & (b - 1)) == 0) return std::countr_zero(b) - std::countr_zero(a);
  return std::log2(static_cast<double>(to) / static_cast<double>(from));
}

Position locate(const std::vector<int64_t>& nodes, int64_t x) {
  const size_t last = nodes.size() - 1;
  if (x <= nodes[0]) return {0, 0, x == nodes[0] ? 0 : octaves(x, nodes[0])};
  if (x >= nodes[last]) return {last - 1, 1, x == nodes[last] ? 0 : octaves(nodes[last], x)};
  size_t cell = 0;
  while (x >= nodes[cell + 1]) ++cell;
  if (x == nodes[cell]) return {cell, 0, 0};
  return {cell, octaves(nodes[cell], x) / octaves(nodes[cell], nodes[cell + 1]), 0};
}

bool ascending(const std::vector<int64_t>& nodes) {
  return nodes.size() > 1 && std::adjacent_find(nodes.begin(), nodes.end(), std::greater_equal<>()) == nodes.end();
}

}  // namespace

bool has_table(const GemmCalibration& row) {
  return !row.table.empty() && row.table.size() == row.table_m.size() * row.table_n.size() * row.table_k.size() &&
         ascending(row.table_m) && ascending(row.table_n) && ascending(row.table_k);
}

TableFactor table_factor(const GemmCalibration& row, int64_t m, int64_t n, int64_t k) {
  const Position pm = locate(row.table_m, m), pn = locate(row.table_n, n), pk = locate(row.table_k, k);
  const double outside = std::max({pm.outside, pn.outside, pk.outside});
  if (outside >= kFaded) return {};
  const size_t along_n = row.table_k.size(), along_m = along_n * row.table_n.size();
  const double* corner = row.table.data() + pm.cell * along_m + pn.cell * along_n + pk.cell;
  auto edge = [&](const double* at) { return at[0] + pk.share * (at[1] - at[0]); };
  auto face = [&](const double* at) {
    const double near = edge(at);
    return near + pn.share * (edge(at + along_n) - near);
  };
  const double near = face(corner);
  return {near + pm.share * (face(corner + along_m) - near), std::min(1.0, kFaded - outside)};
}

Cost gemm_table(const Gemm& op, const Device& device, const Share& share) {
  // One GEMM after the other was measured: many side by side fill the device as waves say, yet none is for nothing.
  if (op.batch > 1) {
    Gemm one = op;
    one.batch = 1;
    Cost many = gemm_wave(op, device, share);
    many.seconds = std::max(many.seconds, gemm_table(one, device, share).seconds);
    return many;
  }
  const GemmMachine machine = gemm_machine(op, device, share);
  const GemmCalibration& row = *machine.row;
  const bool covered = !no_work(op) && machine.prepared->table;
  const TableFactor table = covered ? table_factor(row, op.m, op.n, op.k) : TableFactor{};
  if (table.weight <= 0) {
    Cost c = gemm_wave(op, device, share);
    if (covered && machine.exact && row.provenance <= Provenance::interpolated) c.provenance = Provenance::extrapolated;
    return c;
  }
  Cost c = gemm_counted(op, machine, "table");
  const double bytes = c.bytes_read + c.bytes_written;
  WaveTime time = wave_time(op, machine, bytes);
  const double ideal = c.flops / machine.flops + bytes / machine.bandwidth;
  double factor = std::exp((1 - kSteps) * std::log(ideal / time.seconds)) * table.factor;
  if (table.weight < 1) factor = std::pow(factor, table.weight);
  time.seconds *= factor * pass_factor(op, row);
  set_gemm_time(c, time, device);
  c.workgroups = time.workgroups;
  c.waves = time.waves;
  c.occupancy = time.waves / std::ceil(time.waves);
  return c;
}

}  // namespace operator_models
