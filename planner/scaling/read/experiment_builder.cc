#include "planner/scaling/read/experiment_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dsl/raw_text.h"
#include "operator_models/pmnf.h"

namespace planner::scaling {
namespace {

// Powers of coordinates, and their products, stay within the range of a double. Ranks are whole numbers that a double
// holds exactly. Sums and squares of values stay within the range, too.
constexpr double kLeastCoordinate = 1e-15, kMostCoordinate = 1e15, kMostValue = 1e100;

std::string title(const MeasurementSeries& series) {
  const std::string name = dsl::shortened(series.callpath);
  return series.metric.empty() ? fmt::format("'{}'", name)
                               : fmt::format("'{}' ({})", name, dsl::shortened(series.metric));
}

}  // namespace

std::string shown(const std::vector<double>& point) { return fmt::format("({})", fmt::join(point, ", ")); }

bool ExperimentBuilder::parameters(const std::vector<PlacedName>& names) {
  std::vector<std::string> texts;
  for (const PlacedName& name : names) {
    if (name.text.empty()) return diagnostics_.error(name.place, "a parameter without a name"), false;
    if (std::find(texts.begin(), texts.end(), name.text) != texts.end())
      return diagnostics_.error(name.place, fmt::format("a second parameter '{}'", dsl::shortened(name.text))), false;
    if (texts.size() == operator_models::kMostParameters)
      return diagnostics_.error(name.place, fmt::format("a fifth parameter '{}'", dsl::shortened(name.text)),
                                "models have at most 4 parameters"),
             false;
    texts.push_back(name.text);
  }
  if (experiment_.parameters.empty()) experiment_.parameters = texts;
  if (texts == experiment_.parameters) return true;
  diagnostics_.error(names.front().place, fmt::format("the parameters are {}, expected {} as in the files before",
                                                      fmt::join(texts, ", "), fmt::join(experiment_.parameters, ", ")));
  return false;
}

std::optional<size_t> ExperimentBuilder::point(const std::vector<double>& coordinates, dsl::Span place) {
  const auto& names = experiment_.parameters;
  if (coordinates.size() != names.size()) {
    diagnostics_.error(place, fmt::format("the point has {} coordinate{}, expected {} ({})", coordinates.size(),
                                          coordinates.size() == 1 ? "" : "s", names.size(), fmt::join(names, ", ")));
    return std::nullopt;
  }
  for (size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i] >= kLeastCoordinate && coordinates[i] <= kMostCoordinate) continue;
    const bool positive = coordinates[i] > 0;
    diagnostics_.error(place,
                       fmt::format("parameter '{}' is {}, expected a value {}", dsl::shortened(names[i]),
                                   coordinates[i], positive ? "from 1e-15 to 1e15" : "above zero"),
                       positive
                           ? "models take powers of it; a larger or smaller unit keeps them within what a number holds"
                           : "models take powers and logarithms of it");
    return std::nullopt;
  }
  const auto [at, is_new] = points_.try_emplace(coordinates, experiment_.points.size());
  if (is_new) experiment_.points.push_back(coordinates);
  return at->second;
}

size_t ExperimentBuilder::series(const std::string& callpath, const std::string& metric, dsl::Span place,
                                 bool everywhere) {
  const auto [at, is_new] = series_.try_emplace({callpath, metric}, about_.size());
  if (is_new) {
    experiment_.series.push_back({callpath, metric, {}, {}});
    about_.push_back({place, everywhere, false, {}});
  }
  return at->second;
}

bool ExperimentBuilder::has(size_t series, size_t point) const {
  const std::vector<size_t>& slot = about_[series].slot;
  return point < slot.size() && slot[point] != 0;
}

void ExperimentBuilder::measure(size_t series, size_t point, double value, dsl::Span place) {
  MeasurementSeries& s = experiment_.series[series];
  SeriesPlace& about = about_[series];
  if (std::isnan(value) || value < 0)
    return diagnostics_.error(place, fmt::format("{} is {}, expected a value of zero or more", title(s), value),
                              "times, visits and bytes are counted from zero");
  if (value > kMostValue)
    return diagnostics_.error(place, fmt::format("{} is {}, expected a value of at most 1e100", title(s), value));
  if (value == 0 && !about.has_zero) {
    about.has_zero = true;
    if (++zeros_ == 1)
      zero_ = PlacedName{fmt::format("{} is 0 at {}", title(s), shown(experiment_.points[point])), place};
  }
  if (about.slot.size() <= point) {
    about.slot.resize(experiment_.points.size());
    s.points.reserve(about.slot.size());
    s.values.reserve(about.slot.size());
  }
  if (about.slot[point] == 0) {
    s.points.push_back(point);
    s.values.emplace_back();
    about.slot[point] = s.points.size();
  }
  s.values[about.slot[point] - 1].push_back(value);
}

void ExperimentBuilder::profiled(size_t point, ProfiledTime time) {
  experiment_.profiled.resize(experiment_.points.size());
  ProfiledTime& kept = experiment_.profiled[point];
  if (time.seconds > kept.seconds) kept = time;
}

void ExperimentBuilder::check_points(size_t series) {
  constexpr size_t kMostNamed = 3;
  const MeasurementSeries& s = experiment_.series[series];
  const size_t all = experiment_.points.size(), missing = all - s.points.size();
  if (all == 0) return diagnostics_.error(about_[series].place, fmt::format("{} has no measurement", title(s)));
  if (missing == 0 || (!about_[series].everywhere && !s.points.empty())) return;
  std::string names;
  for (size_t point = 0, named = 0; point < all && named < kMostNamed; ++point)
    if (!has(series, point)) names += (named++ ? ", " : "") + shown(experiment_.points[point]);
  diagnostics_.error(
      about_[series].place,
      fmt::format("{} is measured at {} of {} points: {}{} missing", title(s), s.points.size(), all, names,
                  missing > kMostNamed ? " ... are"
                  : missing > 1        ? " are"
                                       : " is"),
      "each metric of each call path needs a value at each point");
}

void ExperimentBuilder::warn_of_zeros() {
  if (zeros_ == 0) return;
  const std::string more = zeros_ == 1 ? "" : fmt::format(", and {} more series hold zeros", zeros_ - 1);
  diagnostics_.warning(zero_.place, zero_.text + more, "a relative error at zero says nothing about a model");
}

std::optional<Experiment> ExperimentBuilder::finish(dsl::Span place) {
  warn_of_zeros();
  for (size_t i = 0; i < experiment_.series.size(); ++i) check_points(i);
  if (diagnostics_.has_errors()) return std::nullopt;
  if (!experiment_.series.empty()) return std::move(experiment_);
  diagnostics_.error(place, "no measurements to read");
  return std::nullopt;
}

}  // namespace planner::scaling
