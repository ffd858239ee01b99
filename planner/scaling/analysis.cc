#include "planner/scaling/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/unit_sizes.h"

namespace planner::scaling {
namespace {

constexpr double kMostRanks = 1e6;  // that are looked at one by one

class Analyst {
 public:
  Analyst(const Model& time, const AnalysisOptions& options, const Model* cost, std::optional<FactorTable>& ranks)
      : time_(time), options_(options), cost_(cost), ranks_(ranks) {
    for (const auto& point : time.points)
      for (size_t p = 0; p < point.size(); ++p) {
        if (at_.size() <= p) at_.push_back(point[p]);
        at_[p] = std::max(at_[p], point[p]);
      }
    if (at_.empty()) at_.assign(parameters_of(time), 1.0);
    here_ = at_;
    known_.reserve(time.points.size());
    for (const auto& point : time.points) known_.push_back(point[options.parameter]);
    if (known_.empty()) known_ = options.at;
    base_ = std::ranges::min(known_);
    base_seconds_ = seconds(base_);
    if (!time.values.empty() && time.parts.size() == 1) band_.emplace(time.last(), time.points, time.values);
  }

  Analysis analysis() {
    Analysis out{.scaling = scaling(), .base = base_};
    std::vector<double> at = options_.at.empty() ? known_ : options_.at;
    std::ranges::sort(at);
    at.erase(std::unique(at.begin(), at.end()), at.end());
    for (const double x : at) out.points.push_back(point(x, out.scaling));
    out.choice = choice(out.scaling);
    return out;
  }

 private:
  /// One more than the last parameter that a term has.
  size_t parameters_of(const Model& model) const {
    size_t count = options_.parameter + 1;
    for (const Pmnf& part : model.parts)
      for (const Term& term : part.terms)
        for (const Factor& f : term.factors) count = std::max(count, f.parameter + 1);
    return count;
  }

  /// Holds until it is called again.
  const std::vector<double>& coordinates(double x) const {
    here_[options_.parameter] = x;
    return here_;
  }
  double seconds(double x) const { return time_.at(coordinates(x)); }

  Scaling scaling() const {
    if (options_.scaling) return *options_.scaling;
    return seconds(std::ranges::max(known_)) < base_seconds_ ? Scaling::strong : Scaling::weak;
  }

  AnalysisPoint point(double x, Scaling scaling) const {
    AnalysisPoint p = bare(x, seconds(x), scaling);
    if (!band_) return p;
    const Band::Both both = band_->both(coordinates(x));
    p.confidence = both.confidence;
    p.prediction = both.prediction;
    return p;
  }

  /// Without intervals, which cost more than all the rest.
  AnalysisPoint bare(double x, double seconds, Scaling scaling) const {
    AnalysisPoint p{.x = x, .seconds = seconds};
    const double more = x / base_;
    p.speedup_percent = (base_seconds_ - p.seconds) / (base_seconds_ / 100);
    p.efficiency_extradeep = x == base_ ? 1 : p.speedup_percent / ((x - base_) / (base_ / 100));
    p.speedup = speedup(x, seconds, scaling);
    p.parallel_efficiency = p.speedup / more;
    p.core_hours = p.seconds * x * options_.cores_per_rank / dsl::kHour;
    p.gpu_hours = p.seconds * x * options_.gpus_per_rank / dsl::kHour;
    p.cost = cost(p);
    return p;
  }

  double cost(const AnalysisPoint& p) const {
    if (cost_) return cost_->at(coordinates(p.x));
    return options_.price ? options_.price({p.x, p.seconds, p.core_hours, p.gpu_hours}) : p.core_hours;
  }

  double speedup(double x, double seconds, Scaling scaling) const {
    const double ratio = base_seconds_ / seconds;
    return scaling == Scaling::strong ? ratio : ratio * (x / base_);
  }

  /// Whether a configuration costs no more than the budget. Its cost is computed only if there is a budget.
  bool is_affordable(double x, double seconds, Scaling scaling) const {
    return !options_.budget || bare(x, seconds, scaling).cost <= *options_.budget;
  }

  /// The table of the whole numbers from `first` on, kept from model to model.
  FactorTable& ranks(double first, double steps) const {
    const size_t count = steps >= 0 ? static_cast<size_t>(steps) + 1 : 0;
    if (!ranks_ || ranks_->places().size() != count || (count > 0 && ranks_->places()[0] != first)) {
      std::vector<double> places;
      for (size_t i = 0; i < count; ++i) places.push_back(first + static_cast<double>(i));
      ranks_.emplace(std::move(places));
    }
    return *ranks_;
  }

  /// The time at each of the table's places; of a model in two parts by the part that holds there, in `own`.
  std::span<const double> times(FactorTable& table, std::vector<double>& own) const {
    if (time_.parts.size() == 1) return table.values(time_.last(), at_, options_.parameter);
    for (const double x : table.places()) own.push_back(seconds(x));
    return own;
  }

  RankChoice choice(Scaling scaling) const {
    RankChoice out;
    const double largest = options_.extrapolate_to.value_or(kReach * std::ranges::max(known_));
    const double first = std::ceil(base_), steps = std::min(std::floor(largest) - first, kMostRanks);
    FactorTable& table = ranks(first, steps);
    std::vector<double> own;
    const std::span<const double> seconds = times(table, own), x = table.places();
    if (!(base_seconds_ > 0)) return out;
    std::optional<size_t> best;
    for (const auto& [from, to] : valid(seconds, x, scaling)) {
      out.valid.emplace_back(x[from], x[to]);
      if (!best) best = from;  // of weak scaling the fewest ranks
      if (scaling == Scaling::strong) best = most_efficient(seconds, x, from, to, *best);
    }
    if (best) out.best = point(x[*best], scaling);
    return out;
  }

  /// First and last place of each stretch without a break where the time is one, within the limit and the budget.
  std::vector<std::pair<size_t, size_t>> valid(std::span<const double> seconds, std::span<const double> x,
                                               Scaling scaling) const {
    const double limit = options_.time_limit.value_or(std::numeric_limits<double>::infinity());
    size_t in_time = 0;
    for (const double s : seconds) in_time += s > 0 && s <= limit;
    if (in_time == seconds.size() && in_time > 0 && !options_.budget) return {{0, in_time - 1}};
    std::vector<std::pair<size_t, size_t>> out;
    for (size_t i = 0; i < seconds.size(); ++i) {
      if (!(seconds[i] > 0 && seconds[i] <= limit && is_affordable(x[i], seconds[i], scaling))) continue;
      if (out.empty() || out.back().second + 1 < i) out.emplace_back(i, i);
      out.back().second = i;
    }
    return out;
  }

  /// The first place of the greatest efficiency: `best`, or one from `from` to `to`.
  size_t most_efficient(std::span<const double> seconds, std::span<const double> x, size_t from, size_t to,
                        size_t best) const {
    const auto efficiency = [&](size_t i) { return speedup(x[i], seconds[i], Scaling::strong) / (x[i] / base_); };
    double most = efficiency(best);
    for (size_t i = from; i <= to; ++i) {
      const double here = efficiency(i);
      if (!(here > most)) continue;
      best = i;
      most = here;
    }
    return best;
  }

  const Model& time_;
  const AnalysisOptions& options_;
  const Model* cost_;
  std::optional<FactorTable>& ranks_;
  std::vector<double> at_;            // of all parameters
  mutable std::vector<double> here_;  // the same, with a value of the one that is looked at
  std::vector<double> known_;         // its measured values, without requested ones
  std::optional<Band> band_;
  double base_ = 0, base_seconds_ = 0;
};

}  // namespace

Analysis Analyser::analyse(const Model& time, const Model* cost) {
  return Analyst(time, options_, cost, ranks_).analysis();
}

Analysis analyse(const Model& time, const AnalysisOptions& options, const Model* cost) {
  return Analyser(options).analyse(time, cost);
}

}  // namespace planner::scaling
