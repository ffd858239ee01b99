#include "cli/svg/curves_plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cli::svg {
namespace {

constexpr double kInset = 8;         // pixels between the area's edge and data
constexpr double kBandReach = 0.35;  // of the axis without it: as much does a wide band add on either side
constexpr double kLimitReach = 2;    // times the largest value: farther limits are not worth the room
constexpr double kZeroFrom = 0.5;    // of the largest value: an axis with smaller ones starts at 0

struct Span {
  double low = INFINITY, high = -INFINITY;
  bool log = false;
  void add(double v) {
    if (!std::isfinite(v) || (log && v <= 0)) return;
    low = std::min(low, v), high = std::max(high, v);
  }
  double place(double v) const { return log ? std::log(v) : v; }
  double value(double p) const { return log ? std::exp(p) : p; }
};

void add_bands(const Curves& chart, Span& span) {
  const double room = kBandReach * (span.place(span.high) - span.place(span.low));
  double least = span.value(span.place(span.low) - room), most = span.value(span.place(span.high) + room);
  if (span.low >= 0) least = std::max(least, 0.0);
  for (const Curve& c : chart.curves)
    for (const auto& run : c.runs)
      for (const CurveSample& s : run)
        if (s.band) {
          span.add(std::clamp(s.band->first, least, most));
          span.add(std::clamp(s.band->second, least, most));
        }
}

/// Lines that are near the curves all along; others are cut off.
void add_limits(const Curves& chart, Span& span) {
  const double least = span.low / kLimitReach, most = span.high * kLimitReach;
  for (const CurveLimit& limit : chart.limits)
    if (std::ranges::all_of(limit.line, [&](const CurvePoint& p) { return p.y >= least && p.y <= most; }))
      for (const CurvePoint& p : limit.line) span.add(p.y);
}

std::vector<double> y_values(const Curves& chart) {
  Span span{.log = chart.y.log};
  for (const Curve& c : chart.curves) {
    for (const CurvePoint& p : c.points) span.add(p.y);
    for (const CurvePoint& p : c.hollow) span.add(p.y);
    for (const auto& run : c.runs)
      for (const CurveSample& s : run) span.add(s.y);
  }
  if (span.low > span.high) return {};
  add_bands(chart, span);
  add_limits(chart, span);
  if (!span.log && span.low > 0 && span.low < kZeroFrom * span.high) span.low = 0;
  return {span.low, span.high};
}

std::vector<double> x_values(const Curves& chart) {
  std::vector<double> out;
  for (const Curve& c : chart.curves) {
    for (const CurvePoint& p : c.points) out.push_back(p.x);
    for (const CurvePoint& p : c.hollow) out.push_back(p.x);
    for (const auto& run : c.runs)
      for (const CurveSample& s : run) out.push_back(s.x);
  }
  return out;
}

/// Where the line from a to b has this y.
Place crossing(const Place& a, const Place& b, double y) { return {a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y), y}; }

}  // namespace

bool inside(const std::pair<double, double>& range, double x) { return x >= range.first && x <= range.second; }

bool leaves_known(const Curve& c) {
  return std::ranges::any_of(c.runs, [&](const auto& run) {
    return std::ranges::any_of(run, [&](const CurveSample& s) { return !inside(c.known, s.x); });
  });
}

Place Plot::at(double x_value, double y_value) const {
  constexpr double kFar = 20;  // heights of the area
  const double y_place = y.range.log && y_value <= 0 ? low + kFar * area.height : y.at(y_value);
  return {x.at(x_value), y_place};
}

Plot plot_of(const Curves& chart, const Box& area, size_t lanes) {
  const double low = area.y + area.height - static_cast<double>(lanes) * kLane;
  return {area,
          low,
          {nice_range(x_values(chart), chart.x.log), area.x + kInset, area.x + area.width - kInset},
          {nice_range(y_values(chart), chart.y.log), low - (lanes > 0 ? kInset : 0), area.y + kInset}};
}

std::vector<std::vector<Place>> clipped(const Plot& plot, const std::vector<Place>& line) {
  const double top = plot.area.y, low = plot.low;
  const auto shows = [&](const Place& p) { return p.y >= top && p.y <= low; };
  std::vector<std::vector<Place>> out;
  bool open = false;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const Place &a = line[i], &b = line[i + 1];
    const bool finite = std::isfinite(a.y) && std::isfinite(b.y);
    const bool apart = (a.y < top && b.y < top) || (a.y > low && b.y > low);
    if (!finite || apart) {
      open = false;
      continue;
    }
    const auto end = [&](const Place& p) { return shows(p) ? p : crossing(a, b, p.y < top ? top : low); };
    if (!open) out.push_back({end(a)});
    out.back().push_back(end(b));
    open = shows(b);
  }
  return out;
}

std::vector<double> stacked(const std::vector<double>& wanted, const std::vector<double>& heights, double from,
                            double to) {
  std::vector<size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return wanted[i]; });
  std::vector<double> tops(wanted.size());
  double at = from;
  for (const size_t i : order) {
    tops[i] = std::max(at, wanted[i] - heights[i] / 2);
    at = tops[i] + heights[i];
  }
  at = to;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    tops[*i] = std::min(tops[*i], at - heights[*i]);
    at = tops[*i];
  }
  return tops;
}

}  // namespace cli::svg
