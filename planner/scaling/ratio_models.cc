#include "planner/scaling/ratio_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace planner::scaling {
namespace {

/// The times along one parameter, those to fit apart from those to predict.
struct TimeRow {
  std::vector<double> x, seconds, held, held_seconds;
};

TimeRow row_of(const Model& time, size_t parameter) {
  std::vector<double> largest;
  for (const auto& point : time.points) {
    largest.resize(point.size(), 0);
    for (size_t p = 0; p < point.size(); ++p) largest[p] = std::max(largest[p], point[p]);
  }
  const auto lies_on = [&](std::vector<double> point) {
    point[parameter] = largest[parameter];
    return point == largest;
  };
  TimeRow row;
  const auto take = [&](const auto& points, const auto& values, auto& x, auto& seconds) {
    for (size_t i = 0; i < points.size(); ++i) {
      if (!lies_on(points[i])) continue;
      x.push_back(points[i][parameter]);
      seconds.push_back(values.empty() ? time.at(points[i]) : values[i]);
    }
  };
  take(time.points, time.values, row.x, row.seconds);
  take(time.held, time.held_values, row.held, row.held_seconds);
  return row;
}

double& member(AnalysisPoint& p, Ratio of) {
  return of == Ratio::speedup_percent        ? p.speedup_percent
         : of == Ratio::efficiency_extradeep ? p.efficiency_extradeep
                                             : p.parallel_efficiency;
}

/// The ratios of one model of a time, as they grow: first what needs the points alone, then equation 13.
class RatioFitter {
 public:
  /// `behaviour`: of all subjects, since most have the same range.
  RatioFitter(const RatioSubject& subject, const std::string& parameter, const AnalysisOptions& options,
              Behaviour& behaviour)
      : time_(*subject.time), analysis_(*subject.analysis), parameter_(parameter), behaviour_(behaviour) {
    out.given = time_.values.empty();
    row_ = row_of(time_, options.parameter);
    base_ = row_.x.empty() ? 0 : std::ranges::min(row_.x);
    const auto at = std::ranges::find(row_.x, base_);
    if (at != row_.x.end()) base_seconds_ = row_.seconds[static_cast<size_t>(at - row_.x.begin())];
    refuse();
  }

  bool has_base() const { return row_.x.size() >= kFewestPoints && base_seconds_ > 0; }
  /// A speed-up of strong scaling levels off, which exponents below zero say.
  bool negative(Ratio of) const {
    return of != Ratio::speedup_percent || time_.negative || analysis_.scaling == Scaling::strong;
  }

  /// The series of a ratio, its points at the end of the experiment's; false: it has none.
  bool add_series(Ratio of, Experiment& e) {
    if (of == Ratio::parallel_efficiency && std::ranges::any_of(row_.seconds, [](double s) { return !(s > 0); })) {
      out.why.push_back("a point whose time is 0 has no efficiency");
      return false;
    }
    MeasurementSeries series{.callpath = time_.callpath, .metric = kRatioNames[static_cast<size_t>(of)]};
    const auto add = [&](double x, double seconds) {
      series.points.push_back(e.points.size());
      series.values.push_back({value(of, x, seconds)});
      e.points.push_back({x});
    };
    for (size_t i = 0; i < row_.x.size(); ++i) add(row_.x[i], row_.seconds[i]);
    for (size_t i = 0; i < row_.held.size(); ++i) add(row_.held[i], row_.held_seconds[i]);
    e.series.push_back(std::move(series));
    return true;
  }

  void take(Ratio of, Model model) {
    RatioModel ratio;
    ratio.of = of;
    ratio.model = std::move(model);
    for (size_t i = 0; i < ratio.model.points.size(); ++i)
      ratio.off_points += std::abs(ratio.model.at(ratio.model.points[i]) - ratio.model.values[i]) /
                          static_cast<double>(ratio.model.points.size());
    for (AnalysisPoint p : analysis_.points) {
      const RatioPoint point{p.x, ratio.model.at(std::vector{p.x}), member(p, of), own(of, p.x)};
      ratio.off_time = std::max(ratio.off_time, std::abs(point.fitted - point.from_time));
      ratio.points.push_back(point);
    }
    if (of != Ratio::speedup_percent && analysis_.scaling == Scaling::strong) ratio.best = most_efficient(ratio.model);
    if (of != Ratio::efficiency_extradeep) look_beyond(of, ratio.model);  // that of weak scaling is below zero
    out.models.push_back(std::move(ratio));
  }

  Ratios out;

 private:
  void refuse() {
    if (row_.x.size() < kFewestPoints)
      out.why.push_back(fmt::format("no models of speed-up and efficiency: {} {} {}, and a model needs {}",
                                    row_.x.size(), row_.x.size() == 1 ? "point of" : "points of", parameter_,
                                    kFewestPoints));
    else if (!(base_seconds_ > 0))
      out.why.push_back(
          fmt::format("no models of speed-up and efficiency: the time at {} = {} is {}, and both are "
                      "ratios to it",
                      parameter_, base_, base_seconds_));
  }

  double value(Ratio of, double x, double seconds) const {
    if (of == Ratio::speedup_percent) return (base_seconds_ - seconds) / (base_seconds_ / 100);
    const double more = analysis_.scaling == Scaling::strong ? x / base_ : 1;
    if (of == Ratio::parallel_efficiency) return base_seconds_ / seconds / more;
    if (x == base_) return 1;
    return out.models.front().model.at(std::vector{x}) / ((x - base_) / (base_ / 100));
  }

  std::optional<double> own(Ratio of, double x) const {
    for (size_t i = 0; i < row_.x.size(); ++i)
      if (row_.x[i] == x) return value(of, x, row_.seconds[i]);
    for (size_t i = 0; i < row_.held.size(); ++i)
      if (row_.held[i] == x) return value(of, x, row_.held_seconds[i]);
    return std::nullopt;
  }

  std::optional<double> most_efficient(const Model& efficiency) const {
    std::optional<double> best;
    double most = 0;
    for (const auto& [from, to] : analysis_.choice.valid)
      for (double x = from; x <= to; ++x) {
        const double here = efficiency.at(std::vector{x});
        if (best && !(here > most)) continue;
        best = x;
        most = here;
      }
    return best;
  }

  /// A speed-up of 100 % leaves no time, and an efficiency below zero is impossible: a model that reaches either has
  /// been extrapolated too far.
  void look_beyond(Ratio of, const Model& model) {
    Pmnf left = model.last();
    const bool speedup = of == Ratio::speedup_percent;
    if (speedup) {
      left.constant = 100 - left.constant;
      for (Term& term : left.terms) term.coefficient = -term.coefficient;
    }
    const double last = std::ranges::max(row_.x);
    const std::vector<Misbehaviour> odd = behaviour_.oddities(left, {{last}, 0, base_, kReach * last});
    for (const Misbehaviour& m : odd)
      if (m.oddity == Oddity::negative)
        out.why.push_back(
            fmt::format("the fitted {} at {} = {:.4g}",
                        speedup ? "speed-up passes 100 %, which leaves no time," : "efficiency turns negative",
                        parameter_, m.from));
  }

  const Model& time_;
  const Analysis& analysis_;
  const std::string& parameter_;
  Behaviour& behaviour_;
  TimeRow row_;
  double base_ = 0, base_seconds_ = 0;
};

/// Fits one ratio of all subjects; those that try the same exponents share the search.
void fit_all(Ratio of, const std::string& parameter, const ModelOptions& how, std::vector<RatioFitter>& subjects) {
  for (const bool negative : {false, true}) {
    Experiment e{.parameters = {parameter}};
    std::vector<RatioFitter*> fitted;
    for (RatioFitter& s : subjects)
      if (s.has_base() && s.negative(of) == negative && s.add_series(of, e)) fitted.push_back(&s);
    ModelOptions options = how;
    options.negative = how.negative.value_or(negative);
    Models models = fit_models(e, options);
    for (size_t i = 0; i < fitted.size(); ++i) fitted[i]->take(of, std::move(models.models[i]));
  }
}

}  // namespace

std::vector<Ratios> fit_ratios(std::span<const RatioSubject> subjects, const std::vector<std::string>& parameters,
                               const AnalysisOptions& options, const ModelOptions& how) {
  const std::string& parameter = parameters[options.parameter];
  std::vector<RatioFitter> all;
  all.reserve(subjects.size());
  Behaviour behaviour;
  for (const RatioSubject& s : subjects) all.emplace_back(s, parameter, options, behaviour);
  for (const Ratio of : {Ratio::speedup_percent, Ratio::efficiency_extradeep, Ratio::parallel_efficiency})
    fit_all(of, parameter, how, all);
  std::vector<Ratios> out;
  for (RatioFitter& s : all) out.push_back(std::move(s.out));
  return out;
}

}  // namespace planner::scaling
