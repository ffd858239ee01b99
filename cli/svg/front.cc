#include "cli/svg/front.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/svg/frame.h"
#include "cli/svg/front_key.h"
#include "cli/svg/palette.h"
#include "cli/svg/text.h"

namespace cli::svg {
namespace {

constexpr double kLeft = 88, kPlotHeight = 480, kBelow = 56;
constexpr double kDot = 4.5, kFrontDot = 6;
constexpr double kLogFrom = 20;  // from this ratio of the largest to the smallest on
constexpr double kLabelWidth = 190;

struct Plot {
  Box area;
  Axis x, y;
};

Range range_of(std::vector<double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return nice_range(values, *low > 0 && *high > kLogFrom * *low);
}

Plot plot_of(const Front& chart, double top) {
  std::vector<double> xs, ys;
  for (const FrontPoint& p : chart.points) xs.push_back(p.x), ys.push_back(p.y);
  const Box area{kLeft, top, kPageWidth - kLeft - kMargin, kPlotHeight};
  return {area,
          {range_of(xs), area.x + 14, area.x + area.width - 14},
          {range_of(ys), area.y + area.height - 14, area.y + 14}};
}

/// From point to point of the front, over the corners of what they dominate: no plan is known beyond the line.
/// Returns the boxes of the line.
std::vector<Box> draw_front(Canvas& canvas, const Front& chart, const Plot& plot, const std::vector<size_t>& front) {
  std::string points;
  std::vector<Box> line;
  double x = 0, y = 0;  // of the last point
  for (size_t i = 0; i < front.size(); ++i) {
    const double next_x = plot.x.at(chart.points[front[i]].x), next_y = plot.y.at(chart.points[front[i]].y);
    if (i > 0) {
      points += fixed(next_x) + "," + fixed(y) + " ";
      line.push_back({std::min(x, next_x), y - 1, std::abs(next_x - x), 2});
      line.push_back({next_x - 1, std::min(y, next_y), 2, std::abs(next_y - y)});
    }
    points += fixed(next_x) + "," + fixed(next_y) + " ";
    x = next_x, y = next_y;
  }
  if (front.size() > 1) canvas.polyline(points, "s0 none thick");
  return line;
}

void draw_points(Canvas& canvas, const Front& chart, const Plot& plot, const std::vector<size_t>& front,
                 std::vector<Box> avoided) {
  std::vector<size_t> place(chart.points.size());  // on the front, from 1; 0: none
  for (size_t i = 0; i < front.size(); ++i) place[front[i]] = i + 1;
  const bool numbers = front.size() > kMostLabels;
  std::vector<Label> labels;
  for (size_t i = 0; i < chart.points.size(); ++i) {
    const FrontPoint& p = chart.points[i];
    const bool on_front = place[i] > 0;
    const double x = plot.x.at(p.x), y = plot.y.at(p.y), r = on_front ? kFrontDot : kDot;
    canvas.circle(x, y, r, on_front ? "f0 edge thin" : "none soft thin", p.tip);
    if (p.best) canvas.circle(x, y, r + 4, "none s1 thick");
    avoided.push_back({x - r, y - r, 2 * r, 2 * r});
    const std::string text = numbers && on_front ? std::to_string(place[i]) : p.label;
    Label label{{x, y, p.best ? r + 4 : r, 0, 0}, broken(text, kTextSize, kLabelWidth)};
    if (p.best) labels.insert(labels.begin(), std::move(label));
    else if (on_front) labels.push_back(std::move(label));
  }
  draw_labels(canvas, plot.area, labels, {}, avoided);
}

/// What the colours mean, in the picture's own marks.
double draw_key(Canvas& canvas, double y) {
  double x = kMargin + 6;
  const auto entry = [&](const char* classes, double r, const char* text) {
    canvas.circle(x, y - 4, r, classes);
    canvas.text(x + 12, y, text);
    x += 12 + text_width(text, kTextSize) + 26;
  };
  y += 8;
  entry("f0 edge thin", kFrontDot, "Pareto front");
  entry("none s1 thick", kFrontDot, "best for the goal");
  entry("none soft thin", kDot, "other plans");
  return y + kLine;
}

}  // namespace

std::vector<size_t> undominated(const Front& chart) {
  const auto worth = [](double value, const FrontAxis& axis) { return axis.more ? -value : value; };  // less is better
  const auto x = [&](size_t i) { return worth(chart.points[i].x, chart.x); };
  const auto y = [&](size_t i) { return worth(chart.points[i].y, chart.y); };
  std::vector<size_t> order(chart.points.size()), front;
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return x(a) != x(b) ? x(a) < x(b) : y(a) < y(b); });
  for (size_t i : order)
    if (front.empty() || y(i) < y(front.back())) front.push_back(i);
  return front;
}

std::string draw(const Front& chart) {
  Canvas canvas;
  double y = draw_heading(canvas, kPageWidth, chart.title, chart.subtitle);
  if (chart.points.empty()) {
    draw_nothing(canvas, {0, y, kPageWidth, 100}, chart.nothing);
    return canvas.document(kPageWidth, y + 100, chart.title, chart.subtitle);
  }
  y = draw_key(canvas, y + 4);
  const Plot plot = plot_of(chart, y);
  draw_x_axis(canvas, plot.area, plot.x, {.title = chart.x.title});
  draw_y_axis(canvas, plot.area, plot.y, {.title = chart.y.title});
  const std::vector<size_t> front = undominated(chart);
  draw_points(canvas, chart, plot, front, draw_front(canvas, chart, plot, front));
  double below = y + kPlotHeight + kBelow;
  if (front.size() > kMostLabels) below = draw_front_key(canvas, below + kLine / 2, chart, front);
  return canvas.document(kPageWidth, below, chart.title, chart.subtitle);
}

}  // namespace cli::svg
