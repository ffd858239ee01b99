#include "planner/scaling/analysis.h"

#include <algorithm>
#include <cmath>

#include "dsl/unit_sizes.h"

namespace planner::scaling {
namespace {

constexpr double kMostRanks = 1e6;  // that are looked at one by one

class Analyst {
 public:
  Analyst(const Model& time, const AnalysisOptions& options, const Model* cost)
      : time_(time), options_(options), cost_(cost) {
    for (const auto& point : time.points)
      for (size_t p = 0; p < point.size(); ++p) {
        if (at_.size() <= p) at_.push_back(point[p]);
        at_[p] = std::max(at_[p], point[p]);
      }
    if (at_.empty()) at_.assign(parameters_of(time), 1.0);
    base_ = std::ranges::min(known());
    base_seconds_ = seconds(base_);
    if (!time.values.empty() && time.parts.size() == 1) band_.emplace(time.last(), time.points, time.values);
  }

  Analysis analysis() {
    Analysis out{.scaling = scaling(), .base = base_, .points = {}, .choice = {}};
    std::vector<double> at = options_.at.empty() ? known() : options_.at;
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

  /// Values of the parameter that were measured; of a model without points those that are asked for.
  std::vector<double> known() const {
    std::vector<double> out;
    for (const auto& point : time_.points) out.push_back(point[options_.parameter]);
    return out.empty() ? options_.at : out;
  }

  std::vector<double> coordinates(double x) const {
    std::vector<double> out = at_;
    out[options_.parameter] = x;
    return out;
  }
  double seconds(double x) const { return time_.at(coordinates(x)); }

  Scaling scaling() const {
    if (options_.scaling) return *options_.scaling;
    return seconds(std::ranges::max(known())) < base_seconds_ ? Scaling::strong : Scaling::weak;
  }

  AnalysisPoint point(double x, Scaling scaling) const {
    AnalysisPoint p = bare(x, scaling);
    if (!band_) return p;
    p.confidence = band_->confidence(coordinates(x));
    p.prediction = band_->prediction(coordinates(x));
    return p;
  }

  /// Without intervals, which cost more than all the rest.
  AnalysisPoint bare(double x, Scaling scaling) const {
    AnalysisPoint p{.x = x, .seconds = seconds(x), .confidence = {}, .prediction = {}};
    const double ratio = base_seconds_ / p.seconds, more = x / base_;
    p.speedup_percent = (base_seconds_ - p.seconds) / (base_seconds_ / 100);
    p.efficiency_extradeep = x == base_ ? 1 : p.speedup_percent / ((x - base_) / (base_ / 100));
    p.speedup = scaling == Scaling::strong ? ratio : ratio * more;
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

  bool meets(const AnalysisPoint& p) const {
    return p.seconds > 0 && base_seconds_ > 0 && (!options_.budget || p.cost <= *options_.budget) &&
           (!options_.time_limit || p.seconds <= *options_.time_limit);
  }

  static bool better(const AnalysisPoint& a, const AnalysisPoint& b, Scaling scaling) {
    return scaling == Scaling::strong && a.parallel_efficiency > b.parallel_efficiency;
  }

  Choice choice(Scaling scaling) const {
    Choice out;
    const double largest = options_.extrapolate_to.value_or(kReach * std::ranges::max(known()));
    const double first = std::ceil(base_), steps = std::min(std::floor(largest) - first, kMostRanks);
    bool inside = false;
    for (double step = 0; step <= steps; ++step) {
      const double x = first + step;
      const AnalysisPoint p = bare(x, scaling);
      const bool valid = meets(p);
      if (valid && !inside) out.valid.emplace_back(x, x);
      if (valid) out.valid.back().second = x;
      inside = valid;
      if (valid && (!out.best || better(p, *out.best, scaling))) out.best = p;
    }
    if (out.best) out.best = point(out.best->x, scaling);
    return out;
  }

  const Model& time_;
  const AnalysisOptions& options_;
  const Model* cost_;
  std::vector<double> at_;  // of all parameters
  std::optional<Band> band_;
  double base_ = 0, base_seconds_ = 0;
};

}  // namespace

Analysis analyse(const Model& time, const AnalysisOptions& options, const Model* cost) {
  return Analyst(time, options, cost).analysis();
}

}  // namespace planner::scaling
