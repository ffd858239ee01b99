#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/scaling/fit_single.h"

namespace planner::scaling {
namespace {

// Extra-P 4.2.5, extrap/modelers/single_parameter/segmented.py; all on the nRSS of fits to five neighbouring points.
constexpr double kBadFit = 0.5;     // from here on the values have two laws
constexpr double kPoorFit = 0.1;    // from here on the window spans the change
constexpr double kJump = 4;         // times that of the window before: likewise
constexpr double kNothing = 1e-12;  // rounding, added to a denominator (1e-16 there: exact data seem to jump)
constexpr size_t kWindow = kLeastPoints;

struct Sorted {
  std::vector<double> points, values;  // by increasing point
};

Sorted sorted(std::span<const double> points, std::span<const double> values) {
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return points[i]; });
  Sorted series;
  for (const size_t i : order) {
    series.points.push_back(points[i]);
    series.values.push_back(values[i]);
  }
  return series;
}

Fit fit_range(const Sorted& series, size_t from, size_t to, const FitOptions& options) {
  const std::span points(series.points), values(series.values);
  return fit_single(points.subspan(from, to - from), values.subspan(from, to - from), options);
}

/// nRSS of every window of five points.
std::vector<double> window_errors(const Sorted& series, const FitOptions& options) {
  std::vector<double> errors;
  for (size_t i = 0; i + kWindow <= series.points.size(); ++i)
    errors.push_back(std::abs(fit_range(series, i, i + kWindow, options).quality.nrss));
  return errors;
}

/// How many times the error of a window is that of the one before.
double jump(const std::vector<double>& errors, size_t i) { return i == 0 ? 0 : errors[i] / (errors[i - 1] + kNothing); }

/// The two points between which the law changes, or twice the one at which it does; empty: there is one law.
std::vector<size_t> change_of(const std::vector<double>& errors) {
  std::vector<size_t> spanning;
  bool changes = false;
  for (size_t i = 0; i < errors.size(); ++i) {
    const bool jumps = jump(errors, i) > kJump;
    changes = changes || jumps || errors[i] > kBadFit;
    if (jumps || errors[i] >= kPoorFit) spanning.push_back(i);
  }
  if (!changes) return {};
  const size_t middle = spanning[spanning.size() / 2];
  if (spanning.size() == kWindow - 2) return {middle + kWindow / 2};
  const size_t before = (middle + errors.size() - 1) % errors.size();  // the last for the first
  return {before + kWindow / 2, before + kWindow / 2 + 1};
}

SegmentedFit fit_parts(const Sorted& series, const std::vector<size_t>& change, const FitOptions& options) {
  const size_t count = series.points.size();
  SegmentedFit fit;
  fit.parts = {fit_range(series, 0, change.front() + 1, options), fit_range(series, change.back(), count, options)};
  for (const size_t i : change) fit.change_points.push_back(series.points[i]);
  const auto predicted = [&](size_t i) { return fit.parts[i > change.front()].model.at(series.points[i]); };
  fit.quality = quality_of(predicted, series.values);
  fit.quality.ar2 = adjusted_r2(fit.quality.rss, spread_of(series.values), count, 1);
  return fit;
}

}  // namespace

SegmentedFit fit_segmented(std::span<const double> points, std::span<const double> values, const FitOptions& options) {
  const Sorted series = sorted(points, values);
  const std::vector<size_t> change = change_of(window_errors(series, options));
  if (!change.empty()) return fit_parts(series, change, options);
  const Fit whole = fit_range(series, 0, series.points.size(), options);
  return {{whole}, {}, whole.quality};
}

}  // namespace planner::scaling
