#include "operator_models/gemm.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

namespace operator_models {

PreparedAxis::PreparedAxis(const std::vector<int64_t>& sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t to = sizes[std::min(i + 1, sizes.size() - 1)];
    const double log = kLog2(real(sizes[i])), octaves = kLog2(real(to)) - log;
    nodes.push_back({sizes[i], to, log, octaves > 0 ? 1 / octaves : 0});
  }
  for (size_t octave = 0; octave < 63; ++octave)
    while (cell[octave] + size_t{2} < std::min<size_t>(sizes.size(), UINT8_MAX) &&
           nodes[cell[octave]].next <= int64_t{1} << octave)
      ++cell[octave];
}

namespace {

const GemmCalibration& tiled(const GemmCalibration& row) {
  static const GemmCalibration defaults;
  return row.tile_m.empty() || row.tile_n.empty() || row.tile_efficiency.empty() ? defaults : row;
}

/// What follows from a key alone and takes long to work out: the last few, for all devices.
template <class Key, class Made> class RecentValues {
 public:
  std::shared_ptr<const Made> of(const Key& key) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, made] : made_)
      if (known == key) return made;
    if (made_.size() == kMost) made_.clear();
    return made_.emplace_back(key, std::make_shared<const Made>(key)).second;
  }

 private:
  static constexpr size_t kMost = 32;
  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<const Made>>> made_;
};

std::shared_ptr<const Powers> powers_of(double norm) {
  static RecentValues<double, Powers> powers;
  return powers.of(norm);
}

std::shared_ptr<const PreparedAxis> axis_of(const std::vector<int64_t>& sizes) {
  static RecentValues<std::vector<int64_t>, PreparedAxis> axes;
  return axes.of(sizes);
}

void prepare_tiles(PreparedGemm& p) {
  const GemmCalibration& row = tiled(*p.row);
  const size_t tiles =
      std::min({row.tile_m.size(), row.tile_n.size(), row.tile_efficiency.size(), PreparedGemm::kTiles});
  p.pairs = tiles <= PreparedGemm::kFew ? PreparedGemm::kFew / 2 : PreparedGemm::kTiles / 2;
  for (size_t i = 0; i < 2 * p.pairs; ++i) {
    TilePair& pair = p.tiles[i % p.pairs];
    const size_t lane = i / p.pairs;
    const double m = i < tiles ? real(row.tile_m[i]) : 1;
    const double n = i < tiles ? real(row.tile_n[i]) : 1;
    pair.per_m[lane] = 1 / m;
    pair.per_n[lane] = 1 / n;
    pair.up_m[lane] = rounding_up(1 / m);
    pair.up_n[lane] = rounding_up(1 / n);
    pair.work[lane] = i < tiles ? m * n / row.tile_efficiency[i] : std::numeric_limits<double>::infinity();
  }
}

std::unique_ptr<PreparedGemm> prepare(const Device& device, Precision precision) {
  const GemmRow found = gemm_row(*device.calibration, precision);
  const Rate rate = matrix_peak(*device.gpu, precision);
  auto p = std::make_unique<PreparedGemm>();
  p->powers = powers_of(found.row->overlap);
  p->row = found.row;
  p->own = found.own;
  p->grouped = grouped_row(*device.calibration, precision);
  p->exact = found.exact && rate.exact;
  p->units = std::max<double>(1, real(device.gpu->compute_units / p->row->cluster));
  p->peak = rate.peak.value;
  p->flops = p->peak * p->row->compute_efficiency;
  p->bandwidth = device.gpu->memory_bandwidth.value * p->row->memory_efficiency;
  prepare_tiles(*p);
  if (has_table(*found.row)) p->axes = {axis_of(p->row->table_m), axis_of(p->row->table_n), axis_of(p->row->table_k)};
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
  // Short kernels draw on thermal and power reserves that a step does not have.
  const double sustained = device.bursts ? 1 : prepared.own->sustained;
  GemmMachine machine{.prepared = &prepared, .row = prepared.row, .own = prepared.own, .exact = prepared.exact};
  machine.units = prepared.units;
  machine.peak = prepared.peak * sustained;
  machine.flops = prepared.flops * sustained;
  machine.bandwidth = prepared.bandwidth * share.bandwidth;
  if (share.compute_units != 1) {
    machine.units = std::max(1.0, std::floor(prepared.units * share.compute_units));
    machine.flops *= machine.units / prepared.units;
  }
  return machine;
}

Cost gemm_counted(const Gemm& op, const GemmMachine& machine, const char* model) {
  const double batch = real(op.batch), m = real(op.m), n = real(op.n), k = real(op.k);
  Cost c;
  c.flops = 2 * batch * m * n * k;
  c.bytes_written = batch * m * n * op.c_bytes;
  c.bytes_read = batch * (m * k * op.a_bytes + k * n * op.b_bytes) + (op.accumulate ? c.bytes_written : 0);
  c.model = model;
  c.provenance = machine.exact && !op.unaligned ? machine.own->provenance : Provenance::assumed;
  c.relative_error = machine.own->relative_error > 0 ? machine.own->relative_error : machine.row->relative_error;
  return c;
}

double layout_factor(const Gemm& op, const GemmCalibration& row) {
  const double pass = op.pass == GemmPass::dgrad ? row.dgrad : op.pass == GemmPass::wgrad ? row.wgrad : 1;
  return op.unaligned ? pass * row.unaligned : pass;
}

void set_gemm_time(Cost& c, const WaveTime& time, const Gemm& op, const GemmMachine& machine, const Device& device) {
  c.launch = launch_of(device);
  c.seconds = c.launch + dsl::Seconds{time.seconds};
  if (device.casts && !op.grouped) c.seconds += dsl::Seconds{cast_seconds(op, *machine.own)};
  c.bound = bound_of(time.most(), time.compute >= time.memory, c.launch);
  if (time.waves <= 0) return;  // a model without them
  c.workgroups = time.workgroups;
  c.waves = time.waves;
  c.occupancy = time.waves / ceiling(time.waves);
}

Cost gemm_roofline(const Gemm& op, const Device& device, const Share& share) {
  const GemmMachine machine = gemm_machine(op, device, share);
  Cost c = gemm_counted(op, machine, "roofline");
  if (no_work(op)) return c;
  WaveTime time;
  time.compute = c.flops / (machine.peak * machine.row->roofline_efficiency * share.compute_units);
  time.memory = (c.bytes_read + c.bytes_written) / machine.bandwidth;
  time.seconds = std::max(time.compute, time.memory) * layout_factor(op, *machine.row);
  set_gemm_time(c, time, op, machine, device);
  return c;
}

Cost gemm_proportional(const Gemm& op, const Device& device, const Share& share) {
  const GemmMachine machine = gemm_machine(op, device, share);
  Cost c = gemm_counted(op, machine, "proportional");
  if (no_work(op)) return c;
  WaveTime time;
  time.seconds = time.compute = c.flops / (machine.peak * machine.row->roofline_efficiency * share.compute_units);
  set_gemm_time(c, time, op, machine, device);
  return c;
}

}  // namespace operator_models
