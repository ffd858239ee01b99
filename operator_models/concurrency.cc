#include "operator_models/concurrency.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "operator_models/gemm.h"
#include "operator_models/predictor.h"

namespace operator_models {
namespace {

constexpr double kPartsOfK[] = {1, 2, 3, 4, 6, 8, 12, 16};
constexpr double kLeastGain = 1.05;               // of an oracle's degree (section 7.4.5)
constexpr double kTuned[] = {1, 0.5, 0.25};       // shares of the device (section 7.3.2.1)
constexpr int64_t kMostAtOnce = kDegrees.back();  // more gain nothing (section 7.4.2)

double count(int64_t x) { return static_cast<double>(x); }

/// The rate of a compute unit with so many workgroups on it, over that with as many as it takes.
double hidden_rate(const ConcurrencyCalibration& row, double residents) {
  const size_t last = row.hide.size();
  return row.hide[std::min(last, static_cast<size_t>(std::max(1.0, residents))) - 1];
}

}  // namespace

double SharedDevice::store_bytes(const Gemm& g, const GemmKernel& kernel) const {
  const ConcurrencyCalibration& row = device_.calibration->concurrency;
  return 2 * row.depth * (kernel.tile_m * g.a_bytes + kernel.tile_n * g.b_bytes);  // one slice while the next is loaded
}

KernelCounts SharedDevice::counts(const Gemm& g, const GemmKernel& kernel) const {
  const auto most = count(static_cast<int64_t>(device_.calibration->concurrency.hide.size()));
  const double store = device_.gpu->local_store.value;
  KernelCounts c;
  c.workgroups =
      count(g.batch) * ceiling(count(g.m) / kernel.tile_m) * ceiling(count(g.n) / kernel.tile_n) * kernel.parts;
  c.occupancy = store > 0 ? std::clamp(std::floor(store / store_bytes(g, kernel)), 1.0, most) : most;
  c.waves = c.workgroups / (count(device_.gpu->compute_units) * c.occupancy);
  return c;
}

/// Each operand once, and what the panels are read again as far as the cache does not hold them.
double SharedDevice::bytes(const Gemm& g, const GemmKernel& kernel, double cache) const {
  const ConcurrencyCalibration& row = device_.calibration->concurrency;
  const double a = count(g.batch) * count(g.m) * count(g.k) * g.a_bytes,
               b = count(g.batch) * count(g.k) * count(g.n) * g.b_bytes;
  const double c = count(g.batch) * count(g.m) * count(g.n) * g.c_bytes;
  const double again = a * (ceiling(count(g.n) / kernel.tile_n) - 1) + b * (ceiling(count(g.m) / kernel.tile_m) - 1);
  const double held = std::min(1.0, cache / (a + b));
  const double sums =
      kernel.parts > 1 ? 2 * kPartialSumBytes * kernel.parts * count(g.batch) * count(g.m) * count(g.n) : 0;
  return a + b + c * (g.accumulate ? 2 : 1) + sums + row.thrash * (1 - held) * again;
}

namespace {

/// Workgroups of all kernels, which the compute units take as they come.
struct Pool {
  double units = 1, tail = 1;
  double workgroups = 0, seconds = 0, resident = 0;  // of them: on a unit with as many as it takes; sums of occupancies

  void add(const KernelCounts& c, double each) {
    workgroups += c.workgroups;
    seconds += c.workgroups * each;
    resident += c.workgroups * c.occupancy;
  }
  /// In waves of as many as all units hold; those of the last wave leave some of them free, or each unit less to hide
  /// its latencies with.
  double in_waves(const ConcurrencyCalibration& row) const {
    const double most = std::max(1.0, std::floor(resident / workgroups)), each = seconds / workgroups;
    const double full = std::floor(workgroups / (units * most)), rest = workgroups - full * units * most;
    const double last = ceiling(rest / units), whole = full > 0 ? 0 : 1;
    const double paid = std::max(whole, tail * last + (1 - tail) * rest / units);
    return full * most * each / hidden_rate(row, most) + (rest > 0 ? paid * each / hidden_rate(row, last) : 0);
  }
};

/// Two times that overlap as the calibration's norm says.
double joined(double x, double y, double norm) {
  const double longer = std::max(x, y), shorter = std::min(x, y);
  return longer * std::pow(1 + std::pow(shorter / longer, norm), 1 / norm);
}

}  // namespace

double SharedDevice::seconds(std::span<const Gemm> gemms, std::span<const GemmKernel> kernels,
                             const Share& share) const {
  Pool pool;
  double memory = 0, split = 0, norm = 1;
  const double cache = share.cache * device_.gpu->cache.value / count(static_cast<int64_t>(gemms.size()));
  for (size_t i = 0; i < gemms.size(); ++i) {
    const GemmMachine machine = gemm_machine(gemms[i], device_, share);
    const GemmKernel& kernel = kernels[i];
    pool.units = machine.units;
    pool.tail = machine.row->tail;
    const double k = ceiling(count(gemms[i].k) / kernel.parts) + machine.row->k_overhead;
    const double rate = machine.flops / machine.units * kernel.efficiency;
    pool.add(counts(gemms[i], kernel),
             2 * kernel.tile_m * kernel.tile_n * k / rate * layout_factor(gemms[i], *machine.row));
    memory += bytes(gemms[i], kernel, cache) / machine.bandwidth;
    if (kernel.parts > 1) split = std::max(split, machine.row->split.value);
    norm = machine.row->overlap;
  }
  return joined(pool.in_waves(device_.calibration->concurrency), memory, norm) + split;
}

GemmKernel SharedDevice::tuned(const Gemm& g, double share) const {
  const GemmCalibration& row = *gemm_machine(g, device_, {}).row;
  const size_t tiles = std::min({row.tile_m.size(), row.tile_n.size(), row.tile_efficiency.size()});
  GemmKernel best;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < tiles; ++i)
    for (const double parts : kPartsOfK) {
      const GemmKernel kernel{count(row.tile_m[i]), count(row.tile_n[i]), row.tile_efficiency[i], parts};
      const double t = seconds({&g, 1}, {&kernel, 1}, {.compute_units = share, .cache = share});
      if (t < least) least = t, best = kernel;
    }
  return best;
}

GemmKernel SharedDevice::tuned_for(const Gemm& g, int64_t degree) const {
  const std::vector<Gemm> alike(static_cast<size_t>(degree), g);
  GemmKernel best;
  double least = std::numeric_limits<double>::infinity();
  for (const double share : kTuned) {
    const GemmKernel kernel = tuned(g, share);
    const double t = seconds(alike, std::vector(alike.size(), kernel));
    if (t < least) least = t, best = kernel;
  }
  return best;
}

namespace {

/// The GEMMs in rounds of `degree`, in their order.
class Rounds {
 public:
  Rounds(std::span<const Gemm> gemms, const Device& device) : gemms_(gemms), device_(device), shared_(device) {
    for (const Gemm& g : gemms) alone_.push_back(shared_.tuned(g));
    for (size_t i = 0; i < gemms.size(); ++i) one_by_one_ += shared_.seconds(gemms.subspan(i, 1), {&alone_[i], 1});
  }

  Concurrent of_degree(int64_t degree, bool for_degree) const {
    Concurrent c{.degree = degree, .kernels = alone_};
    if (for_degree && degree > 1)
      for (size_t i = 0; i < gemms_.size(); ++i) c.kernels[i] = shared_.tuned_for(gemms_[i], degree);
    const auto each = static_cast<size_t>(degree);
    double sum = 0;
    c.rounds = 0;
    for (size_t at = 0; at < gemms_.size(); at += each, ++c.rounds) {
      const size_t held = std::min(each, gemms_.size() - at);
      sum += shared_.seconds(gemms_.subspan(at, held), std::span(c.kernels).subspan(at, held));
    }
    c.gain = one_by_one_ / sum;
    return c;
  }

  /// Each GEMM on a part of the device for itself: the longest is waited for.
  Concurrent partitioned(bool memory_too) const {
    const double part = 1 / count(static_cast<int64_t>(gemms_.size()));
    const Share share{.compute_units = part, .cache = memory_too ? part : 1, .bandwidth = memory_too ? part : 1};
    double longest = 0;
    for (size_t i = 0; i < gemms_.size(); ++i)
      longest = std::max(longest, shared_.seconds(gemms_.subspan(i, 1), {&alone_[i], 1}, share));
    // What all move together passes through one memory.
    if (!memory_too) longest = std::max(longest, shared_.seconds(gemms_, alone_));
    return {.degree = count_of(gemms_), .kernels = alone_, .gain = one_by_one_ / longest, .rounds = 1};
  }

  Concurrent best() const {
    Concurrent best = of_degree(1, false);
    for (const int64_t degree : kDegrees)
      if (degree > 1 && degree <= count_of(gemms_))
        if (Concurrent c = of_degree(degree, true); c.gain > std::max(best.gain, kLeastGain)) best = std::move(c);
    return best;
  }

  /// The least of the degrees that their predictor says for each (section 7.5.7).
  Concurrent predicted() const {
    const ConcurrencyCalibration& row = device_.calibration->concurrency;
    int64_t degree = count_of(gemms_);
    for (const Gemm& g : gemms_) degree = std::min(degree, predicted_degree(row.predictor, features_of(g, device_)));
    Concurrent c = of_degree(degree, true);
    c.overhead_seconds = std::max(0.0, row.decision.value - one_by_one_ / count(count_of(gemms_)));
    return c;
  }

 private:
  static int64_t count_of(std::span<const Gemm> gemms) { return static_cast<int64_t>(gemms.size()); }

  std::span<const Gemm> gemms_;
  const Device& device_;
  SharedDevice shared_;
  std::vector<GemmKernel> alone_;
  double one_by_one_ = 0;
};

}  // namespace

Concurrent run_concurrently(std::span<const Gemm> gemms, Concurrency policy, const Device& device) {
  const Rounds rounds(gemms, device);
  const auto all = std::min(kMostAtOnce, static_cast<int64_t>(gemms.size()));
  switch (policy) {
    case Concurrency::sequential:
      return rounds.of_degree(1, false);
    case Concurrency::greedy:
      return rounds.of_degree(all, false);
    case Concurrency::go:
      return rounds.of_degree(all, true);
    case Concurrency::goldyloc:
      return rounds.predicted();
    case Concurrency::oracle:
      return rounds.best();
    case Concurrency::cu_partition:
      return rounds.partitioned(false);
    case Concurrency::resource_partition:
      return rounds.partitioned(true);
  }
  return rounds.of_degree(1, false);
}

}  // namespace operator_models
