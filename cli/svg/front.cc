#include "cli/svg/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/svg/frame.h"
#include "cli/svg/palette.h"
#include "cli/svg/text.h"

namespace cli::svg {
namespace {

constexpr double kLeft = 88, kPlotHeight = 480, kBelow = 56;
constexpr double kDot = 4.5, kFrontDot = 6;
constexpr double kLogFrom = 20;  // from this ratio of the largest to the smallest on
constexpr double kLabelWidth = 190;
constexpr size_t kMostLabels = 7;                             // more points have numbers
constexpr size_t kMostNumbers = 60;                           // of more points, those of the front alone have one
constexpr size_t kTwoColumns = 20;                            // a longer key has three
constexpr double kNumberWidth = 26, kGap = 24, kBetween = 4;  // of the key of numbers
constexpr size_t kMostSeries = kSeriesColours - 1;            // colours do not tell more of them apart
constexpr double kFarLimit = 2;                               // times the largest value: a limit beyond is not drawn
constexpr double kFromZero = 1.75;  // from this ratio of the largest to the smallest on an axis begins at zero

bool is_near(const FrontLimit& limit, double most) { return limit.value > 0 && limit.value <= kFarLimit * most; }

/// Returns the limit if it lies near the values, else nullopt.
std::optional<FrontLimit> near_limit(const FrontAxis& axis, const std::vector<double>& values) {
  const double most = *std::max_element(values.begin(), values.end());
  return axis.limit && is_near(*axis.limit, most) ? axis.limit : std::nullopt;
}

/// Ratios look as large as they are: from zero on, or by the logarithm. Values that are close begin at the smallest.
AxisRange range_of(const FrontAxis& axis, std::vector<double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = *least, high = *most;
  const bool log = low > 0 && high > kLogFrom * low;
  if (const auto limit = near_limit(axis, values)) values.push_back(limit->value);
  if (!log && low > 0 && high >= kFromZero * low) values.push_back(0);
  return nice_range(values, log);
}

std::vector<double> along(const Front& chart) {
  std::vector<double> xs;
  for (const FrontPoint& p : chart.points) {
    xs.push_back(p.x);
    if (p.along) xs.insert(xs.end(), {p.along->low, p.along->high});
  }
  return xs;
}

std::vector<double> up(const Front& chart) {
  std::vector<double> ys;
  for (const FrontPoint& p : chart.points) ys.push_back(p.y);
  return ys;
}

ChartPlot plot_of(const Front& chart, double top) {
  const PixelBox area{kLeft, top, kPageWidth - kLeft - kMargin, kPlotHeight};
  return {area,
          {range_of(chart.x, along(chart)), area.x + 14, area.x + area.width - 14},
          {range_of(chart.y, up(chart)), area.y + area.height - 14, area.y + 14}};
}

/// "x begins at 30, y at 400k", or "".
std::string begin_note(const ChartPlot& plot) {
  const auto begins = [](const AxisRange& range) { return range.low > 0 && !range.log; };
  std::string note = begins(plot.x.range) ? "x begins at " + short_number(plot.x.range.low) : "";
  if (begins(plot.y.range))
    note += fmt::format("{} at {}", note.empty() ? "y begins" : ", y", short_number(plot.y.range.low));
  return note;
}

/// Draws deadline and budget. Returns the boxes of the lines and of their labels.
std::vector<PixelBox> draw_limits(Canvas& canvas, const Front& chart, const ChartPlot& plot) {
  const PixelBox& area = plot.area;
  std::vector<PixelBox> boxes;
  if (const auto limit = near_limit(chart.x, along(chart))) {
    const double x = plot.x.at(limit->value), width = text_width(limit->label, kLabelSize);
    const bool left = x + width + 8 > area.x + area.width;
    canvas.line(x, area.y, x, area.y + area.height, "s1 dashed");
    canvas.text(left ? x - 5 : x + 5, area.y + kLabelSize, limit->label,
                {.anchor = left ? "end" : "start", .size = kLabelSize, .classes = "halo"});
    boxes.push_back({x - 1, area.y, 2, area.height});
    boxes.push_back({left ? x - 5 - width : x + 5, area.y, width, kLabelLine});
  }
  if (const auto limit = near_limit(chart.y, up(chart))) {
    const double y = plot.y.at(limit->value), width = text_width(limit->label, kLabelSize);
    canvas.line(area.x, y, area.x + area.width, y, "s1 dashed");
    canvas.text(area.x + area.width, y - 4, limit->label, {.anchor = "end", .size = kLabelSize, .classes = "halo"});
    boxes.push_back({area.x, y - 1, area.width, 2});
    boxes.push_back({area.x + area.width - width, y - 4 - kLabelSize, width, kLabelLine});
  }
  return boxes;
}

/// The colour of a point: that of its series, in order of first appearance.
class SeriesColours {
 public:
  explicit SeriesColours(const Front& chart) {
    for (const FrontPoint& p : chart.points)
      if (!p.series.empty() && std::ranges::find(names_, p.series) == names_.end()) names_.push_back(p.series);
    if (names_.size() > kMostSeries) names_.clear();
  }
  const std::vector<std::string>& names() const { return names_; }
  /// Colour 1 is that of rings and limits.
  static size_t colour(size_t series) { return series == 0 ? 0 : series + 1; }
  size_t of(const FrontPoint& p) const {
    const auto at = std::ranges::find(names_, p.series);
    return at == names_.end() ? 0 : colour(static_cast<size_t>(at - names_.begin()));
  }

 private:
  std::vector<std::string> names_;
};

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

/// The points that have a label or a number, in the order of their numbers: the front, then the others from left to
/// right.
std::vector<size_t> labelled(const Front& chart, const std::vector<size_t>& front) {
  std::vector<size_t> order = front, others;
  for (size_t i = 0; i < chart.points.size(); ++i)
    if (std::ranges::find(front, i) == front.end()) others.push_back(i);
  if (chart.points.size() > kMostNumbers) std::erase_if(others, [&](size_t i) { return !chart.points[i].best; });
  std::ranges::stable_sort(others, {}, [&](size_t i) { return chart.points[i].x; });
  order.insert(order.end(), others.begin(), others.end());
  return order;
}

/// A mark, its interval and the ring of the best.
void draw_point(Canvas& canvas, const FrontPoint& p, const ChartPlot& plot, bool on_front, size_t colour) {
  const auto [x, y] = plot.at(p.x, p.y);
  const double r = on_front ? kFrontDot : kDot;
  if (p.along)
    canvas.line(plot.x.at(p.along->low), y, plot.x.at(p.along->high), y, series_class('s', colour) + " thin");
  const bool plain = p.series.empty();
  canvas.circle(x, y, r,
                on_front ? series_class('f', colour) + " edge thin"
                : plain  ? "none soft thin"
                         : "none " + series_class('s', colour) + " thin",
                p.tip);
  if (p.best) canvas.circle(x, y, r + 4, "none s1 thick");
}

void draw_points(Canvas& canvas, const Front& chart, const ChartPlot& plot, const std::vector<size_t>& front,
                 const SeriesColours& colours, const std::vector<PixelBox>& taken, std::vector<PixelBox> avoided) {
  for (size_t i = 0; i < chart.points.size(); ++i) {
    const FrontPoint& p = chart.points[i];
    const bool on_front = std::ranges::find(front, i) != front.end();
    draw_point(canvas, p, plot, on_front, colours.of(p));
    const auto [x, y] = plot.at(p.x, p.y);
    const double r = on_front ? kFrontDot : kDot;
    avoided.push_back({x - r, y - r, 2 * r, 2 * r});
    if (p.along)
      avoided.push_back({plot.x.at(p.along->low), y - 1, plot.x.at(p.along->high) - plot.x.at(p.along->low), 2});
  }
  std::vector<MarkLabel> labels;
  const std::vector<size_t> order = labelled(chart, front);
  for (size_t n = 0; n < order.size(); ++n) {
    const FrontPoint& p = chart.points[order[n]];
    const auto [x, y] = plot.at(p.x, p.y);
    const double r = (n < front.size() ? kFrontDot : kDot) + (p.best ? 4 : 0);
    const std::string text = order.size() > kMostLabels ? std::to_string(n + 1) : p.label;
    MarkLabel label{{x, y, r, 0, 0}, broken(text, kTextSize, kLabelWidth)};
    labels.insert(p.best ? labels.begin() : labels.end(), std::move(label));
  }
  draw_labels(canvas, plot.area, labels, taken, avoided);
}

/// Returns the y below.
double draw_entry(Canvas& canvas, double x, double y, double width, size_t number, const std::string& label) {
  canvas.text(x + kNumberWidth - 8, y, std::to_string(number), {.anchor = "end", .classes = "soft"});
  return kBetween + draw_lines(canvas, x + kNumberWidth, y, broken(label, kTextSize, width - kNumberWidth));
}

/// The key of a picture that is too full for labels next to its points: numbers there, and their labels below, in two
/// or three columns. Returns the y below.
double draw_front_key(Canvas& canvas, double y, const std::vector<std::string>& labels) {
  const size_t columns = labels.size() > kTwoColumns ? 3 : 2, each = (labels.size() + columns - 1) / columns;
  const double gaps = static_cast<double>(columns - 1) * kGap;
  const double width = (kPageWidth - 2 * kMargin - gaps) / static_cast<double>(columns);
  double below = y;
  for (size_t column = 0; column < columns; ++column) {
    double at = y;
    const size_t end = std::min(labels.size(), (column + 1) * each);
    for (size_t i = column * each; i < end; ++i)
      at = draw_entry(canvas, kMargin + static_cast<double>(column) * (width + kGap), at, width, i + 1, labels[i]);
    below = std::max(below, at);
  }
  return below;
}

/// What the colours mean, in the picture's own marks.
double draw_key(Canvas& canvas, double y, const Front& chart, const SeriesColours& colours) {
  ChartKey key(canvas, y + 8, 6, 20);
  const auto entry = [&](const char* classes, double radius, const char* text) {
    key.entry(text, 12, [&](double x, double middle) { canvas.circle(x, middle, radius, classes); });
  };
  for (size_t i = 0; i < colours.names().size(); ++i)
    entry((series_class('f', SeriesColours::colour(i)) + " edge thin").c_str(), kFrontDot, colours.names()[i].c_str());
  if (colours.names().empty()) entry("f0 edge thin", kFrontDot, "Pareto front");
  if (std::ranges::any_of(chart.points, &FrontPoint::best)) entry("none s1 thick", kFrontDot, "best for the goal");
  entry("none soft thin", kDot, colours.names().empty() ? "other plans" : "not filled: another plan is better in both");
  if (std::ranges::any_of(chart.points, [](const FrontPoint& p) { return p.along.has_value(); }))
    key.entry("10th to 90th percentile", 24,
              [&](double x, double middle) { canvas.line(x - 12, middle, x + 12, middle, "s0 thin"); });
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
    const SeriesColours colours(chart);
    const ChartPlot plot = plot_of(chart, draw_key(canvas, top + 4, chart, colours));
    draw_axes(canvas, plot, chart.x.title, {.title = chart.y.title});
    canvas.text(plot.area.x, plot.area.y + kPlotHeight + 36, begin_note(plot), {.size = kLabelSize, .classes = "soft"});
    const std::vector<size_t> front = undominated(chart);
    const std::vector<PixelBox> limits = draw_limits(canvas, chart, plot);
    draw_points(canvas, chart, plot, front, colours, limits, draw_front(canvas, chart, plot, front));
    const double below = plot.area.y + kPlotHeight + kBelow;
    const std::vector<size_t> order = labelled(chart, front);
    if (order.size() <= kMostLabels) return below;
    std::vector<std::string> labels;
    for (const size_t i : order) labels.push_back(chart.points[i].label);
    return draw_front_key(canvas, below + kLine / 2, labels);
  });
}

}  // namespace cli::svg
