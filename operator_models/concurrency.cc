#include "operator_models/concurrency.h"

#include <algorithm>
#include <map>

#include "operator_models/predictor.h"

namespace operator_models {
namespace {

constexpr double kLeastGain = 1.05;               // of an oracle's degree (section 7.4.5)
constexpr int64_t kMostAtOnce = kDegrees.back();  // more gain nothing (section 7.4.2)

/// Alike GEMMs of a group: where they begin, how many they are, and the kernel that is best alone.
struct AlikeGemms {
  size_t first = 0, size = 0;
  GemmKernel alone;
};
std::vector<AlikeGemms> kinds_of(std::span<const Gemm> gemms, const SharedDevice& shared) {
  std::vector<AlikeGemms> kinds;
  for (size_t i = 0; i < gemms.size(); ++i) {
    if (i == 0 || !alike(gemms[i], gemms[i - 1])) kinds.push_back({.first = i, .alone = shared.tuned(gemms[i])});
    ++kinds.back().size;
  }
  return kinds;
}

/// The GEMMs in rounds of `degree`, in order.
class Rounds {
 public:
  Rounds(std::span<const Gemm> gemms, const Device& device, StreamEnds ends)
      : gemms_(gemms), device_(device), ends_(ends), shared_(device, ends), kinds_(kinds_of(gemms, shared_)) {
    alone_ = kernels([](const AlikeGemms& kind) { return kind.alone; });
    for (size_t i = 0; i < gemms.size(); ++i) one_by_one_ += shared_.seconds(gemms.subspan(i, 1), {&alone_[i], 1});
  }

  Concurrent of_degree(int64_t degree, bool for_degree) const {
    Concurrent c{.degree = degree, .kernels = alone_};
    if (for_degree && degree > 1)
      c.kernels = kernels(
          [&](const AlikeGemms& kind) { return shared_.fastest(gemms_[kind.first], candidates(kind), degree); });
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
  Concurrent partitioned(bool memory_too, bool for_part) const {
    const double part = 1 / real(gemms_.size());
    const Share share{.compute_units = part, .cache = part, .bandwidth = memory_too ? part : 1};
    Concurrent c{.degree = all(), .kernels = alone_, .rounds = 1};
    if (for_part) c.kernels = kernels([&](const AlikeGemms& kind) { return tuned_for_part(kind, share); });
    c.gain = one_by_one_ / (memory_too ? longest(c.kernels, share) : shared_.seconds_apart(gemms_, c.kernels));
    return c;
  }

  Concurrent best() const {
    Concurrent best = of_degree(1, false);
    const auto try_degree = [&](int64_t degree) {
      if (Concurrent c = of_degree(degree, true); c.gain > std::max(best.gain, kLeastGain)) best = std::move(c);
    };
    for (const int64_t degree : kDegrees)
      if (degree > 1 && degree < all()) try_degree(degree);
    try_degree(std::min(kMostAtOnce, all()));
    return best;
  }

  /// All at once only if each kind's prediction is that number; otherwise each kind separately (section 7.5.7).
  Concurrent predicted() const {
    const ConcurrencyCalibration& row = device_.calibration->concurrency;
    std::vector<int64_t> degrees;
    for (const AlikeGemms& kind : kinds_)
      degrees.push_back(predicted_degree(row.predictor, features_of(gemms_[kind.first], device_)));
    const int64_t least = std::ranges::min(degrees), most = std::min(kMostAtOnce, all());
    Concurrent c = kinds_.size() == 1 || least >= most ? of_degree(std::min(least, most), true) : by_kind(degrees);
    c.overhead_seconds = std::max(0.0, row.decision.value - one_by_one_ / real(gemms_.size()));
    return c;
  }

 private:
  int64_t all() const { return static_cast<int64_t>(gemms_.size()); }

  /// Computed on first use: most policies use only the first.
  const Candidates& candidates(const AlikeGemms& kind) const {
    const auto [at, is_new] = candidates_.try_emplace(kind.first);
    if (is_new) at->second = shared_.candidates(gemms_[kind.first]);
    return at->second;
  }

  /// A kernel for each GEMM, chosen once for all of a kind.
  template <class Choose> std::vector<GemmKernel> kernels(const Choose& choose) const {
    std::vector<GemmKernel> chosen;
    for (const AlikeGemms& kind : kinds_) chosen.insert(chosen.end(), kind.size, choose(kind));
    return chosen;
  }

  /// If all share one memory, a kernel tuned for a part may be slower than one tuned for the device.
  GemmKernel tuned_for_part(const AlikeGemms& kind, const Share& share) const {
    const Gemm& g = gemms_[kind.first];
    const GemmKernel whole = kind.alone, part = shared_.tuned(g, share);
    if (share.bandwidth < 1) return part;
    const std::vector<Gemm> several(gemms_.size(), g);
    const auto apart = [&](const GemmKernel& kernel) {
      return shared_.seconds_apart(several, std::vector(several.size(), kernel));
    };
    return apart(part) < apart(whole) ? part : whole;
  }

  double longest(const std::vector<GemmKernel>& chosen, const Share& share) const {
    double longest = 0;
    for (size_t i = 0; i < gemms_.size(); ++i)
      longest = std::max(longest, shared_.seconds(gemms_.subspan(i, 1), {&chosen[i], 1}, share));
    return longest;
  }

  Concurrent by_kind(const std::vector<int64_t>& degrees) const {
    Concurrent whole{.degree = kMostAtOnce, .kernels = {}, .rounds = 0};
    double sum = 0;
    for (size_t i = 0; i < kinds_.size(); ++i) {
      const Rounds kind(gemms_.subspan(kinds_[i].first, kinds_[i].size), device_, ends_);
      const Concurrent c = kind.of_degree(std::min(degrees[i], kind.all()), true);
      sum += kind.one_by_one_ / c.gain;
      whole.rounds += c.rounds;
      whole.degree = std::min(whole.degree, c.degree);
      whole.kernels.insert(whole.kernels.end(), c.kernels.begin(), c.kernels.end());
    }
    whole.gain = one_by_one_ / sum;
    return whole;
  }

  std::span<const Gemm> gemms_;
  const Device& device_;
  StreamEnds ends_;
  SharedDevice shared_;
  std::vector<AlikeGemms> kinds_;
  mutable std::map<size_t, Candidates> candidates_;  // by the first of a kind
  std::vector<GemmKernel> alone_;
  double one_by_one_ = 0;
};

double as_clock_falls(const ConcurrencyCalibration& row, double seconds) {
  const double burst = row.burst.value;
  return burst <= 0 || seconds < burst ? seconds : burst + (seconds - burst) / row.sustained;
}

}  // namespace

double at_first_clock(const ConcurrencyCalibration& row, double seconds) {
  const double burst = row.burst.value;
  return burst <= 0 || seconds < burst ? seconds : burst + (seconds - burst) * row.sustained;
}

double seconds_together(const ConcurrencyCalibration& row, const Concurrent& run, double all, double alone,
                        double launch) {
  const double kernel = std::max(0.0, at_first_clock(row, alone) - launch);
  return as_clock_falls(row, launch * real(run.rounds) + all * kernel / run.gain);
}

Concurrent run_concurrently(std::span<const Gemm> gemms, Concurrency policy, const Device& device, StreamEnds ends) {
  const Rounds rounds(gemms, device, ends);
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
    case Concurrency::cu_partition_go:
      return rounds.partitioned(false, policy == Concurrency::cu_partition_go);
    case Concurrency::resource_partition:
    case Concurrency::resource_partition_go:
      return rounds.partitioned(true, policy == Concurrency::resource_partition_go);
  }
  return rounds.of_degree(1, false);
}

}  // namespace operator_models
