#include "planner/scaling/extrapolation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <utility>

namespace planner::scaling {
namespace {

constexpr int kSteps = 512;         // looked at between the ends, in equal ratios
constexpr double kPairShare = 0.8;  // of pairs that fall
constexpr double kDrop = 0.1;       // from first to last, of the first

double value_at(const Pmnf& model, const Range& range, double x) {
  std::vector<double> point = range.at;
  point[range.parameter] = x;
  return model.at(point);
}

double step_at(const Range& range, int step) {
  if (step == kSteps) return range.to;
  return range.from * std::pow(range.to / range.from, static_cast<double>(step) / kSteps);
}

/// The first of the steps with `is_odd`, made precise by halving between it and the step before.
std::optional<double> first_place(const Range& range, const std::function<bool(double)>& is_odd) {
  for (int step = 0; step <= kSteps; ++step) {
    double high = step_at(range, step);
    if (!is_odd(high)) continue;
    double low = step == 0 ? high : step_at(range, step - 1);
    while (high - low > 1e-12 * high) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      (is_odd(middle) ? high : low) = middle;
    }
    return high;
  }
  return std::nullopt;
}

/// Of two points: whether they differ in the parameter alone.
bool one_line(const std::vector<double>& a, const std::vector<double>& b, size_t parameter) {
  for (size_t i = 0; i < a.size(); ++i)
    if ((a[i] == b[i]) == (i == parameter)) return false;
  return true;
}

}  // namespace

std::vector<Misbehaviour> misbehaviour(const Pmnf& model, const Range& range, bool over_processors) {
  const auto value = [&](double x) { return value_at(model, range, x); };
  std::vector<std::pair<Oddity, std::function<bool(double)>>> kinds = {
      {Oddity::negative, [&](double x) { return value(x) <= 0; }},
      {Oddity::undefined, [&](double x) { return !std::isfinite(value(x)); }}};
  const double ratio = std::pow(range.to / range.from, 1.0 / kSteps);
  if (over_processors && ratio > 1)  // against a step before, itself inside the range
    kinds.emplace_back(Oddity::superlinear, [&, ratio](double x) {
      return x > range.from * ratio && value(x) > 0 && value(x) * ratio < value(x / ratio) * (1 - 1e-9);
    });
  std::vector<Misbehaviour> found;
  for (const auto& [oddity, is_odd] : kinds)
    if (const auto place = first_place(range, is_odd)) found.push_back({oddity, *place});
  return found;
}

std::string text(const Misbehaviour& misbehaviour, const std::string& parameter) {
  static constexpr const char* kWhat[] = {"turns negative", "is undefined", "falls faster than 1/"};
  char place[32];
  std::snprintf(place, sizeof place, "%.4g", misbehaviour.from);
  std::string what = kWhat[static_cast<int>(misbehaviour.oddity)];
  if (misbehaviour.oddity == Oddity::superlinear) what += parameter;
  return "the model " + what + " from " + parameter + " = " + place;
}

bool falls_with(std::span<const std::vector<double>> points, std::span<const double> values, size_t parameter) {
  double pairs = 0, falling = 0, largest_drop = 0, longest = 0;
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t j = 0; j < points.size(); ++j) {
      const double ratio = points[j][parameter] / points[i][parameter];
      if (!(ratio > 1) || !one_line(points[i], points[j], parameter)) continue;
      pairs += 1;
      if (values[j] < values[i]) falling += 1;
      const double drop = (values[i] - values[j]) / std::abs(values[i]);
      if (ratio > longest) largest_drop = drop;
      longest = std::max(longest, ratio);
    }
  return pairs > 0 && falling >= kPairShare * pairs && largest_drop >= kDrop;
}

}  // namespace planner::scaling
