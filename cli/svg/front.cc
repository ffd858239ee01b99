#include "cli/svg/front.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/svg/frame.h"
#include "cli/svg/text.h"

namespace cli::svg {
namespace {

constexpr double kLeft = 88, kPlotHeight = 480, kBelow = 56;
constexpr double kDot = 4.5, kFrontDot = 6;
constexpr double kLogFrom = 20;  // from this ratio of the largest to the smallest on
constexpr double kLabelWidth = 190;
constexpr size_t kMostLabels = 7;                             // a front of more points has numbers
constexpr double kNumberWidth = 26, kGap = 24, kBetween = 4;  // of the key of numbers

AxisRange range_of(std::vector<double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return nice_range(values, *low > 0 && *high > kLogFrom * *low);
}

ChartPlot plot_of(const Front& chart, double top) {
  std::vector<double> xs, ys;
  for (const FrontPoint& p : chart.points) xs.push_back(p.x), ys.push_back(p.y);
  const PixelBox area{kLeft, top, kPageWidth - kLeft - kMargin, kPlotHeight};
  return {area,
          {range_of(xs), area.x + 14, area.x + area.width - 14},
          {range_of(ys), area.y + area.height - 14, area.y + 14}};
}

/// Draws the line from point to point of the front, over the corners of the areas that they dominate: no plan is known
/// beyond it. Returns the boxes of the line.
std::vector<PixelBox> draw_front(Canvas& canvas, const Front& chart, const ChartPlot& plot,
                                 const std::vector<size_t>& front) {
  std::vector<PixelPlace> points;
  std::vector<PixelBox> line;
  for (const size_t i : front) {
    const PixelPlace next = plot.at(chart.points[i].x, chart.points[i].y);
    if (!points.empty()) {
      const auto [x, y] = points.back();
      points.push_back({next.x, y});
      line.push_back({std::min(x, next.x), y - 1, std::abs(next.x - x), 2});
      line.push_back({next.x - 1, std::min(y, next.y), 2, std::abs(next.y - y)});
    }
    points.push_back(next);
  }
  if (front.size() > 1) canvas.polyline(points, "s0 none thick");
  return line;
}

void draw_points(Canvas& canvas, const Front& chart, const ChartPlot& plot, const std::vector<size_t>& front,
                 std::vector<PixelBox> avoided) {
  std::vector<size_t> place(chart.points.size());  // on the front, from 1; 0: none
  for (size_t i = 0; i < front.size(); ++i) place[front[i]] = i + 1;
  const bool numbers = front.size() > kMostLabels;
  std::vector<MarkLabel> labels;
  for (size_t i = 0; i < chart.points.size(); ++i) {
    const FrontPoint& p = chart.points[i];
    const bool on_front = place[i] > 0;
    const auto [x, y] = plot.at(p.x, p.y);
    const double r = on_front ? kFrontDot : kDot;
    canvas.circle(x, y, r, on_front ? "f0 edge thin" : "none soft thin", p.tip);
    if (p.best) canvas.circle(x, y, r + 4, "none s1 thick");
    avoided.push_back({x - r, y - r, 2 * r, 2 * r});
    const std::string text = numbers && on_front ? std::to_string(place[i]) : p.label;
    MarkLabel label{{x, y, p.best ? r + 4 : r, 0, 0}, broken(text, kTextSize, kLabelWidth)};
    if (p.best) labels.insert(labels.begin(), std::move(label));
    else if (on_front) labels.push_back(std::move(label));
  }
  draw_labels(canvas, plot.area, labels, {}, avoided);
}

/// Returns the y below.
double draw_entry(Canvas& canvas, double x, double y, double width, size_t number, const std::string& label) {
  canvas.text(x + kNumberWidth - 8, y, std::to_string(number), {.anchor = "end", .classes = "soft"});
  return kBetween + draw_lines(canvas, x + kNumberWidth, y, broken(label, kTextSize, width - kNumberWidth));
}

/// The key of a front that is too full for labels next to its points: numbers there, and their labels below, in two
/// columns. Returns the y below.
double draw_front_key(Canvas& canvas, double y, const std::vector<std::string>& labels) {
  const double width = (kPageWidth - 2 * kMargin - kGap) / 2;
  const size_t half = (labels.size() + 1) / 2;
  double below = y;
  for (size_t column = 0; column < 2; ++column) {
    double at = y;
    const size_t end = std::min(labels.size(), (column + 1) * half);
    for (size_t i = column * half; i < end; ++i)
      at = draw_entry(canvas, kMargin + static_cast<double>(column) * (width + kGap), at, width, i + 1, labels[i]);
    below = std::max(below, at);
  }
  return below;
}

/// What the colours mean, in the picture's own marks.
double draw_key(Canvas& canvas, double y) {
  ChartKey key(canvas, y + 8, 6, 20);
  const auto entry = [&](const char* classes, double radius, const char* text) {
    key.entry(text, 12, [&](double x, double middle) { canvas.circle(x, middle, radius, classes); });
  };
  entry("f0 edge thin", kFrontDot, "Pareto front");
  entry("none s1 thick", kFrontDot, "best for the goal");
  entry("none soft thin", kDot, "other plans");
  return key.below();
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
  return draw_page(chart, kPageWidth, chart.points.empty(), [&](Canvas& canvas, double top) {
    const ChartPlot plot = plot_of(chart, draw_key(canvas, top + 4));
    draw_axes(canvas, plot, chart.x.title, {.title = chart.y.title});
    const std::vector<size_t> front = undominated(chart);
    draw_points(canvas, chart, plot, front, draw_front(canvas, chart, plot, front));
    const double below = plot.area.y + kPlotHeight + kBelow;
    if (front.size() <= kMostLabels) return below;
    std::vector<std::string> labels;
    for (const size_t i : front) labels.push_back(chart.points[i].label);
    return draw_front_key(canvas, below + kLine / 2, labels);
  });
}

}  // namespace cli::svg
