#include "operator_models/gemm.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

namespace operator_models {

namespace {

const GemmCalibration& tiled(const GemmCalibration& row) {
  static const GemmCalibration defaults;
  return row.tile_m.empty() || row.tile_n.empty() || row.tile_efficiency.empty() ? defaults : row;
}

std::vector<PreparedNode> prepared_nodes(const std::vector<int64_t>& sizes) {
  std::vector<PreparedNode> nodes;
  for (int64_t at : sizes) nodes.push_back({at, std::log2(static_cast<double>(at)), 0});
  for (size_t i = 0; i + 1 < nodes.size(); ++i) nodes[i].per_step = 1 / (nodes[i + 1].log - nodes[i].log);
  return nodes;
}

void prepare_tiles(PreparedGemm& p) {
  const GemmCalibration& row = tiled(*p.row);
  p.tiles = std::min({row.tile_m.size(), row.tile_n.size(), row.tile_efficiency.size(), PreparedGemm::kTiles});
  for (size_t i = 0; i < p.tiles; ++i) {
    p.m[i] = static_cast<double>(row.tile_m[i]);
    p.n[i] = static_cast<double>(row.tile_n[i]);
    p.per_m[i] = 1 / p.m[i];
    p.per_n[i] = 1 / p.n[i];
    p.work[i] = p.m[i] * p.n[i] / row.tile_efficiency[i];
  }
}

std::unique_ptr<PreparedGemm> prepare(const Device& device, Precision precision) {
  const GemmRow found = gemm_row(*device.calibration, precision);
  const Rate rate = matrix_peak(*device.gpu, precision);
  auto p = std::make_unique<PreparedGemm>();
  p->row = found.row;
  p->own = found.own;
  p->exact = found.exact && rate.exact;
  p->peak = rate.peak.value;
  prepare_tiles(*p);
  double term = 1, power = 0;
  for (double& coefficient : p->series) {
    term *= (1 / p->row->overlap - power) / (power + 1);
    coefficient = term;
    ++power;
  }
  if (has_table(*found.row))
    p->nodes = {prepared_nodes(p->row->table_m), prepared_nodes(p->row->table_n), prepared_nodes(p->row->table_k)};
  return p;
}

}  // namespace

const PreparedGemm& GemmRows::of(const Device& device, Precision precision) const {
  std::atomic<const PreparedGemm*>& made = made_[static_cast<size_t>(precision)];
  const PreparedGemm* seen = made.load(std::memory_order_acquire);
  if (seen) return *seen;
  std::unique_ptr<PreparedGemm> mine = prepare(device, precision);
  if (made.compare_exchange_strong(seen, mine.get(), std::memory_order_acq_rel)) seen = mine.release();
  return *seen;  // of the thread that came first
}

GemmRows& GemmRows::operator=(const GemmRows&) noexcept {
  for (auto& row : made_) delete row.exchange(nullptr);
  return *this;
}

GemmRows::~GemmRows() {
  for (auto& row : made_) delete row.load(std::memory_order_relaxed);
}

GemmMachine gemm_machine(const Gemm& op, const Device& device, const Share& share) {
  const PreparedGemm& prepared = device.gemm_rows.of(device, op.precision);
  const GemmCalibration& row = *prepared.row;
  const double all = std::max<double>(1, static_cast<double>(device.gpu->compute_units));
  GemmMachine machine{.prepared = &prepared, .row = &row, .own = prepared.own, .exact = prepared.exact};
  machine.units = share.compute_units == 1 ? all : std::max(1.0, std::floor(all * share.compute_units));
  // Short kernels draw on thermal and power reserves that a step does not have.
  machine.peak = prepared.peak * (device.bursts ? 1 : prepared.own->sustained);
  machine.flops = machine.peak * row.compute_efficiency * (machine.units / all);
  machine.bandwidth = device.gpu->memory_bandwidth.value * row.memory_efficiency * share.bandwidth;
  return machine;
}

Cost gemm_counted(const Gemm& op, const GemmMachine& machine, const char* model) {
  const double batch = static_cast<double>(op.batch), m = static_cast<double>(op.m), n = static_cast<double>(op.n),
               k = static_cast<double>(op.k);
  Cost c;
  c.flops = 2 * batch * m * n * k;
  c.bytes_written = batch * m * n * op.c_bytes;
  c.bytes_read = batch * (m * k * op.a_bytes + k * n * op.b_bytes) + (op.accumulate ? c.bytes_written : 0);
  c.model = model;
  c.provenance = machine.exact ? machine.own->provenance : Provenance::assumed;
  c.relative_error = machine.own->relative_error > 0 ? machine.own->relative_error : machine.row->relative_error;
  return c;
}

double pass_factor(const Gemm& op, const GemmCalibration& row) {
  return op.pass == GemmPass::dgrad ? row.dgrad : op.pass == GemmPass::wgrad ? row.wgrad : 1;
}

void set_gemm_time(Cost& c, const WaveTime& time, const Gemm& op, const GemmMachine& machine, const Device& device) {
  c.launch = launch_of(device);
  c.seconds = c.launch + dsl::Seconds{time.seconds};
  if (device.casts) c.seconds += dsl::Seconds{cast_seconds(op, *machine.own)};
  c.bound = std::max(time.compute, time.memory) < c.launch.value ? Bound::launch
            : time.compute >= time.memory                        ? Bound::compute
                                                                 : Bound::memory;
}

Cost gemm_roofline(const Gemm& op, const Device& device, const Share& share) {
  const GemmMachine machine = gemm_machine(op, device, share);
  Cost c = gemm_counted(op, machine, "roofline");
  if (no_work(op)) return c;
  WaveTime time;
  time.compute = c.flops / (machine.peak * machine.row->roofline_efficiency * share.compute_units);
  time.memory = (c.bytes_read + c.bytes_written) / machine.bandwidth;
  time.seconds = std::max(time.compute, time.memory) * pass_factor(op, *machine.row);
  set_gemm_time(c, time, op, machine, device);
  return c;
}

}  // namespace operator_models
