#include "operator_models/shared_device.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "operator_models/gemm.h"

namespace operator_models {
namespace {

constexpr double kTuned[] = {1, 0.5, 0.25};  // shares of the device, of each candidate
constexpr double kMostResults = 256 * 128;   // of a tile: 128 KiB of accumulators, a quarter of a unit's registers

/// The rate of a compute unit with `residents` workgroups on it, relative to that with as many as it takes. Between
/// whole numbers, where workgroups come and go, it is interpolated linearly.
double hidden_rate(const ConcurrencyCalibration& row, double residents) {
  const double most = real(row.hide.size()), r = std::clamp(residents, 1.0, most);
  const auto below = static_cast<size_t>(r);
  if (below == row.hide.size()) return row.hide.back();
  return std::lerp(row.hide[below - 1], row.hide[below], r - std::floor(r));
}

/// What two times that overlap by a norm take beyond the longer one.
double beyond_longer(double x, double y, double norm) {
  const double longer = std::max(x, y), shorter = std::min(x, y);
  return longer * (std::pow(1 + std::pow(shorter / longer, norm), 1 / norm) - 1);
}

}  // namespace

bool alike(const Gemm& x, const Gemm& y) {
  return x.batch == y.batch && x.m == y.m && x.n == y.n && x.k == y.k && x.precision == y.precision &&
         x.pass == y.pass && x.a_bytes == y.a_bytes && x.b_bytes == y.b_bytes && x.c_bytes == y.c_bytes &&
         x.accumulate == y.accumulate && x.unaligned == y.unaligned;
}

double SharedDevice::store_bytes(const Gemm& g, const GemmKernel& kernel) const {
  return 2 * kernel.depth *
         (kernel.tile_m * g.a_bytes + kernel.tile_n * g.b_bytes);  // a slice while the next is loaded
}

bool SharedDevice::fits(const Gemm& g, const GemmKernel& kernel) const {
  const double store = device_.gpu->local_store.value;
  return kernel.tile_m * kernel.tile_n <= kMostResults && (store <= 0 || store_bytes(g, kernel) <= store);
}

KernelCounts SharedDevice::counts(const Gemm& g, const GemmKernel& kernel) const {
  const auto most = real(device_.calibration->concurrency.hide.size());
  const double store = device_.gpu->local_store.value;
  KernelCounts c;
  c.workgroups = real(g.batch) * ceiling(real(g.m) / kernel.tile_m) * ceiling(real(g.n) / kernel.tile_n) * kernel.parts;
  c.occupancy = store > 0 ? std::clamp(std::floor(store / store_bytes(g, kernel)), 1.0, most) : most;
  c.waves = c.workgroups / (real(device_.gpu->compute_units) * c.occupancy);
  return c;
}

/// Each operand once. The workgroups of a wave lie along the rows of tiles, and share their panels; the next wave finds
/// of them what the cache holds.
double SharedDevice::bytes(const Gemm& g, const GemmKernel& kernel, double slots, double cache) const {
  const double batch = real(g.batch), m = real(g.m), n = real(g.n), k = real(g.k);
  const double a = batch * m * k * g.a_bytes, b = batch * k * n * g.b_bytes, c = batch * m * n;
  const double rows = ceiling(m / kernel.tile_m), columns = ceiling(n / kernel.tile_n);
  const double at_once = std::clamp(slots / kernel.parts, 1.0, rows * columns);
  const double high = std::min(rows, at_once), wide = at_once / high, waves = rows * columns / at_once;
  const double wave = (high * kernel.tile_m * g.a_bytes + wide * kernel.tile_n * g.b_bytes) * k;
  const double again = std::clamp(batch * waves * wave - a - b, 0.0, a * (columns - 1) + b * (rows - 1));
  const double missed = 1 - std::min(1.0, cache / (a + b));
  const double sums = kernel.parts > 1 ? 2 * kPartialSumBytes * kernel.parts * c : 0;
  return a + b + c * g.c_bytes * (g.accumulate ? 2 : 1) + sums +
         device_.calibration->concurrency.thrash * missed * again;
}

namespace {

/// Workgroups of all kernels, which the compute units take as they come.
struct WorkgroupPool {
  double units = 1, tail = 1;
  double workgroups = 0, seconds = 0, resident = 0;  // of them: on a unit with as many as it takes; sums of occupancies

  void add(const KernelCounts& c, double each) {
    workgroups += c.workgroups;
    seconds += c.workgroups * each;
    resident += c.workgroups * c.occupancy;
  }
  double per_unit() const { return std::max(1.0, std::floor(resident / workgroups)); }
  double waves() const { return workgroups / (units * per_unit()); }
  /// In waves of as many as all units hold; those of the last wave leave some of them free, or each unit less to hide
  /// its latencies with.
  double in_waves(const ConcurrencyCalibration& row) const {
    const double most = per_unit(), each = seconds / workgroups;
    const double full = std::floor(workgroups / (units * most)), rest = workgroups - full * units * most;
    const double last = ceiling(rest / units), whole = full > 0 ? 0 : 1;
    const double paid = std::max(whole, tail * last + (1 - tail) * rest / units);
    return full * most * each / hidden_rate(row, most) + (rest > 0 ? paid * each / hidden_rate(row, last) : 0);
  }
  /// Where the next kernel fills what the last wave of one leaves free.
  double without_waves(const ConcurrencyCalibration& row) const {
    const double of_unit = std::max(1.0, workgroups / units);
    return of_unit * (seconds / workgroups) / hidden_rate(row, std::min(of_unit, per_unit()));
  }
};

/// What kernels keep busy: compute units by their workgroups, seconds of cache and memory.
struct BusyResources {
  WorkgroupPool pool;
  double longest_kernel = 0;  // of its own workgroups in waves
  double cache = 0, memory = 0, split = 0, norm = 1;
  double ramp = 0;  // of one kernel

  double in_waves(const ConcurrencyCalibration& row) const { return pool.in_waves(row); }
  /// A kernel of each stream in turn: none starts before the one before it on its stream has ended.
  double back_to_back(const ConcurrencyCalibration& row) const {
    return std::min(in_waves(row), std::max(longest_kernel, pool.without_waves(row)));
  }
  /// What a kernel does not hide of its own memory runs under the others of those that are under way at a time.
  double together(double compute, double under_way, double kernels) const {
    const double inner = std::max(compute, cache) + beyond_longer(compute, cache, norm);
    return std::max(inner, memory) + beyond_longer(inner, memory, norm) / under_way + split +
           ramp * kernels / under_way;
  }
  /// One kernel takes no less, as without its powers.
  double alone_at_least(double compute) const { return std::max({compute, cache, memory}) + split + ramp; }
};

/// The cache is as fast to a part of the units, which the memory's share is not.
BusyResources busy_of(std::span<const Gemm> gemms, std::span<const GemmKernel> kernels, const Share& share,
                      const Device& device) {
  const ConcurrencyCalibration& row = device.calibration->concurrency;
  const SharedDevice shared(device);
  const double all = real(gemms.size()), cache = share.cache * device.gpu->cache.value / all;
  const double bandwidth = device.gpu->memory_bandwidth.value * device.calibration->update_efficiency;
  BusyResources busy{.ramp = row.ramp.value};
  for (size_t i = 0; i < gemms.size(); ++i) {
    const GemmMachine machine = gemm_machine(gemms[i], device, share);
    const GemmKernel& kernel = kernels[i];
    const KernelCounts c = shared.counts(gemms[i], kernel);
    busy.pool.units = machine.units;
    busy.pool.tail = machine.row->tail;
    busy.norm = machine.row->overlap;
    const double k = ceiling(real(gemms[i].k) / kernel.parts), rate = machine.flops / machine.units;
    const double each = 2 * kernel.tile_m * kernel.tile_n * (k + machine.row->k_overhead) / rate *
                        layout_factor(gemms[i], *machine.row);
    busy.pool.add(c, each);
    WorkgroupPool own{.units = busy.pool.units, .tail = busy.pool.tail};
    own.add(c, each);
    busy.longest_kernel = std::max(busy.longest_kernel, own.in_waves(row));
    const double panel = kernel.tile_m * gemms[i].a_bytes + kernel.tile_n * gemms[i].b_bytes;
    busy.cache += c.workgroups * panel * k / (row.cache_rate * bandwidth);
    busy.memory +=
        shared.bytes(gemms[i], kernel, machine.units * c.occupancy / all, cache) / (bandwidth * share.bandwidth);
    if (kernel.parts > 1) busy.split = std::max(busy.split, machine.row->split.value);
  }
  return busy;
}

}  // namespace

double SharedDevice::seconds(std::span<const Gemm> gemms, std::span<const GemmKernel> kernels,
                             const Share& share) const {
  const ConcurrencyCalibration& row = device_.calibration->concurrency;
  const BusyResources busy = busy_of(gemms, kernels, share, device_);
  // As many as the device holds, and the one that starts while the last of these ends.
  const double all = real(gemms.size()), under_way = std::min(all, 1 + all / busy.pool.waves());
  return busy.together(ends_ == StreamEnds::joined ? busy.in_waves(row) : busy.back_to_back(row), under_way, all);
}

double SharedDevice::seconds_apart(std::span<const Gemm> gemms, std::span<const GemmKernel> kernels) const {
  const double part = 1 / real(gemms.size());
  BusyResources busy;
  double longest = 0;
  for (size_t i = 0; i < gemms.size(); ++i) {
    const BusyResources one =
        busy_of(gemms.subspan(i, 1), kernels.subspan(i, 1), {.compute_units = part, .cache = part}, device_);
    longest = std::max(longest, one.pool.in_waves(device_.calibration->concurrency));
    busy.cache += one.cache;
    busy.memory += one.memory;
    busy.split = std::max(busy.split, one.split);
    busy.norm = one.norm;
    busy.ramp = one.ramp;
  }
  return busy.together(longest, 1, 1);  // parts that start together keep step: nothing of one runs under another
}

namespace {

/// All that the choice of a kernel reads, what differs most between GEMMs first.
std::vector<double> read_by_tuning(const Gemm& g, const Share& share, const Device& device) {
  const ConcurrencyCalibration& row = device.calibration->concurrency;
  const GemmMachine machine = gemm_machine(g, device, share);
  const GemmCalibration& gemm = *machine.row;
  const hw_profiles::Accelerator& gpu = *device.gpu;
  std::vector<double> key;
  key.reserve(64);
  const auto add = [&key](auto... figures) { (key.push_back(figures), ...); };
  add(real(g.m), real(g.n), real(g.k), real(g.batch));
  add(share.compute_units, share.cache, share.bandwidth);
  add(g.a_bytes, g.b_bytes, g.c_bytes, g.accumulate ? 1.0 : 0.0, layout_factor(g, gemm));
  add(machine.units, machine.flops, gemm.tail, gemm.overlap, gemm.k_overhead, gemm.split.value);
  add(real(gpu.compute_units), gpu.cache.value, gpu.memory_bandwidth.value, gpu.local_store.value);
  add(device.calibration->update_efficiency, row.ramp.value, row.cache_rate, row.thrash, real(row.parts));
  add(real(row.hide.size()));
  key.insert(key.end(), row.hide.begin(), row.hide.end());
  for (const auto* sizes : {&row.tiles, &row.depths}) {
    add(real(sizes->size()));
    for (const int64_t size : *sizes) add(real(size));
  }
  return key;
}

constexpr size_t kMostTuned = 1 << 14;  // kernels that a thread remembers

}  // namespace

// A search asks for the same kernels again and again: in blocks that differ in something else.
GemmKernel SharedDevice::tuned(const Gemm& g, const Share& share) const {
  thread_local std::map<std::vector<double>, GemmKernel> known;
  if (known.size() > kMostTuned) known.clear();
  const auto [at, is_new] = known.try_emplace(read_by_tuning(g, share, device_));
  if (is_new) at->second = tune(g, share);
  return at->second;
}

GemmKernel SharedDevice::tune(const Gemm& g, const Share& share) const {
  const ConcurrencyCalibration& row = device_.calibration->concurrency;
  const double units = gemm_machine(g, device_, share).units;
  GemmKernel best{.tile_m = 32, .tile_n = 32};  // where the library has none that fits
  double least = std::numeric_limits<double>::infinity();
  const auto try_parts = [&](GemmKernel kernel) {
    for (const double parts : kPartsOfK) {
      kernel.parts = parts;
      const KernelCounts c = counts(g, kernel);
      // The units are full without more parts.
      if (parts > 1 && (parts > real(row.parts) || c.workgroups > 4 * units * c.occupancy)) return;
      const BusyResources busy = busy_of({&g, 1}, {&kernel, 1}, share, device_);
      const double compute = busy.pool.in_waves(row);
      if (busy.alone_at_least(compute) >= least) continue;
      if (const double t = busy.together(compute, 1, 1); t < least) least = t, best = kernel;
    }
  };
  for (const int64_t m : row.tiles)
    for (const int64_t n : row.tiles)
      for (const int64_t depth : row.depths)
        if (const GemmKernel kernel{real(m), real(n), real(depth)}; fits(g, kernel)) try_parts(kernel);
  return best;
}

Candidates SharedDevice::candidates(const Gemm& g) const {
  Candidates all;
  for (size_t i = 0; i < all.size(); ++i) all[i] = tuned(g, {.compute_units = kTuned[i], .cache = kTuned[i]});
  return all;
}

GemmKernel SharedDevice::fastest(const Gemm& g, const Candidates& candidates, int64_t degree) const {
  const std::vector<Gemm> several(static_cast<size_t>(degree), g);
  GemmKernel best;
  double least = std::numeric_limits<double>::infinity();
  for (const GemmKernel& kernel : candidates) {
    const double t = seconds(several, std::vector(several.size(), kernel));
    if (t < least) least = t, best = kernel;
  }
  return best;
}

}  // namespace operator_models
