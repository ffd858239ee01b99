#include "cli/svg/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/svg/frame.h"
#include "cli/svg/palette.h"

namespace cli::svg {
namespace {

constexpr double kLeft = 88, kPlotHeight = 480, kBelow = 52;
constexpr double kColumn = 214, kLabelGap = 26;  // labels of curves, right of the plot; from curve to label

constexpr double kLane = 9;              // pixels from lane to lane
constexpr double kDot = 4.5, kRing = 8;  // radii
constexpr size_t kValid = 2;             // the colour of the valid part of the only curve
constexpr size_t kNeutral = 7;           // the colour of a key of several curves
constexpr double kInset = 8;             // pixels between the area's edge and data
constexpr double kBandReach = 0.35;      // of the axis without it: as much does a wide band add on either side
constexpr double kLimitReach = 2;        // times the largest value: farther limits are not worth the room
constexpr double kZeroFrom = 0.5;        // of the largest value: an axis with smaller ones starts at 0

/// Of all runs of a curve.
std::vector<CurveSample> samples_of(const Curve& c) {
  std::vector<CurveSample> all;
  for (const auto& run : c.runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

/// Calls `use` with x and y of all points and samples.
void each_place(const Curves& chart, const auto& use) {
  for (const Curve& c : chart.curves) {
    for (const CurvePoint& p : c.points) use(p.x, p.y);
    for (const CurvePoint& p : c.hollow) use(p.x, p.y);
    for (const CurveSample& s : samples_of(c)) use(s.x, s.y);
  }
}

struct ValueSpan {
  double low = INFINITY, high = -INFINITY;
  bool log = false;
  void add(double v) {
    if (!std::isfinite(v) || (log && v <= 0)) return;
    low = std::min(low, v), high = std::max(high, v);
  }
  double place(double v) const { return log ? std::log(v) : v; }
  double value(double p) const { return log ? std::exp(p) : p; }
};

void add_bands(const Curves& chart, ValueSpan& span) {
  const double room = kBandReach * (span.place(span.high) - span.place(span.low));
  double least = span.value(span.place(span.low) - room), most = span.value(span.place(span.high) + room);
  if (span.low >= 0) least = std::max(least, 0.0);
  for (const Curve& c : chart.curves)
    for (const CurveSample& s : samples_of(c))
      if (s.band) {
        span.add(std::clamp(s.band->first, least, most));
        span.add(std::clamp(s.band->second, least, most));
      }
}

/// Lines that are near the curves all along; others are cut off.
void add_limits(const Curves& chart, ValueSpan& span) {
  const double least = span.low / kLimitReach, most = span.high * kLimitReach;
  for (const CurveLimit& limit : chart.limits)
    if (std::ranges::all_of(limit.line, [&](const CurvePoint& p) { return p.y >= least && p.y <= most; }))
      for (const CurvePoint& p : limit.line) span.add(p.y);
}

std::vector<double> y_values(const Curves& chart) {
  ValueSpan span{.log = chart.y.log};
  each_place(chart, [&](double, double y) { span.add(y); });
  if (span.low > span.high) return {};
  add_bands(chart, span);
  add_limits(chart, span);
  if (!span.log && span.low > 0 && span.low < kZeroFrom * span.high) span.low = 0;
  return {span.low, span.high};
}

std::vector<double> x_values(const Curves& chart) {
  std::vector<double> out;
  each_place(chart, [&](double x, double) { out.push_back(x); });
  return out;
}

struct CurvePlot : ChartPlot {
  double low;  // pixels: data end here, above the lanes of shaded intervals

  /// A value that a logarithm does not have lies far below the area.
  PixelPlace at(double x_value, double y_value) const {
    constexpr double kFar = 20;  // heights of the area
    const double y_place = y.range.log && y_value <= 0 ? low + kFar * area.height : y.at(y_value);
    return {x.at(x_value), y_place};
  }
};

/// `lanes`: strips at the bottom of `area`, for shaded intervals of several curves.
CurvePlot plot_of(const Curves& chart, const PixelBox& area, size_t lanes) {
  const double low = area.y + area.height - static_cast<double>(lanes) * kLane;
  return {{area,
           {nice_range(x_values(chart), chart.x.log), area.x + kInset, area.x + area.width - kInset},
           {nice_range(y_values(chart), chart.y.log), low - (lanes > 0 ? kInset : 0), area.y + kInset}},
          low};
}

bool inside(const std::pair<double, double>& range, double x) { return x >= range.first && x <= range.second; }

bool leaves_known(const Curve& c) {
  return std::ranges::any_of(samples_of(c), [&](const CurveSample& s) { return !inside(c.known, s.x); });
}

bool any(const Curves& chart, const auto& has) { return std::ranges::any_of(chart.curves, has); }
bool has_band(const Curve& c) {
  return std::ranges::any_of(samples_of(c), [](const CurveSample& s) { return s.band.has_value(); });
}

/// Marks and their meaning, of what the chart has; returns the y below.
double draw_key(Canvas& canvas, const Curves& chart, double y) {
  const bool one = chart.curves.size() == 1;
  const size_t colour = one ? 0 : kNeutral;
  const std::string fill = series_class('f', colour), stroke = series_class('s', colour);
  const auto line = [&](const char* more) {
    return [&canvas, classes = stroke + more](double x, double at) { canvas.line(x - 13, at, x + 13, at, classes); };
  };
  ChartKey key(canvas, y, 7, 22);
  const auto entry = [&](bool there, const std::string& text, double wide, const auto& mark) {
    if (there) key.entry(text, wide, mark);
  };
  entry(any(chart, [](const Curve& c) { return !c.points.empty(); }), chart.key.points, 2 * kDot,
        [&](double x, double at) { canvas.circle(x, at, kDot, fill + " edge thin"); });
  entry(any(chart, [](const Curve& c) { return !c.hollow.empty(); }), chart.key.hollow, 2 * kDot,
        [&](double x, double at) { canvas.circle(x, at, kDot, "none thick " + stroke); });
  entry(true, chart.key.known, 26, line(" thick"));
  entry(any(chart, leaves_known), chart.key.beyond, 26, line(" thick dashed"));
  entry(any(chart, has_band), chart.key.band, 20, [&](double x, double at) {
    canvas.rect({x - 10, at - 6, 20, 12}, fill + " faint");
  });
  entry(any(chart, [](const Curve& c) { return !c.shaded.empty(); }), chart.key.shaded, 20, [&](double x, double at) {
    if (one) canvas.rect({x - 10, at - 6, 20, 12}, series_class('f', kValid) + " faint");
    else canvas.rect({x - 10, at - 3, 20, kLane - 3}, fill + " mark");
  });
  entry(any(chart, [](const Curve& c) { return c.ringed.has_value(); }), chart.key.ringed, 2 * kRing,
        [&](double x, double at) { canvas.circle(x, at, kRing - 1, "none ink thick"); });
  return key.below();
}

/// What labels in the plot had better not cover.
struct AvoidedBoxes {
  std::vector<PixelBox> avoided;
  void line(const std::vector<PixelPlace>& line) {
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      const PixelPlace &a = line[i], &b = line[i + 1];
      const int steps = std::max(1, static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / 6));
      for (int k = 0; k <= steps; ++k)
        avoided.push_back({a.x + (b.x - a.x) * k / steps - 1.5, a.y + (b.y - a.y) * k / steps - 1.5, 3, 3});
    }
  }
};

bool has_samples(const Curve& c) { return !samples_of(c).empty(); }

/// From the first to the last x of the curves.
std::pair<double, double> extent(const Curves& chart) {
  std::pair<double, double> out{INFINITY, -INFINITY};
  for (const Curve& c : chart.curves)
    for (const CurveSample& s : samples_of(c)) out = {std::min(out.first, s.x), std::max(out.second, s.x)};
  return out;
}

/// The intervals of the only curve over the whole height, those of several in a lane each.
void draw_shaded(Canvas& canvas, const Curves& chart, const CurvePlot& plot) {
  const bool one = chart.curves.size() == 1;
  const std::pair<double, double> drawn = extent(chart);
  double lane = plot.low + 2;
  for (size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& c = chart.curves[i];
    for (const auto& [from, to] : c.shaded) {
      if (to < drawn.first || from > drawn.second) continue;
      constexpr double kLeast = 3;  // pixels, of a single value
      const double left = plot.x.at(std::max(from, drawn.first)), right = plot.x.at(std::min(to, drawn.second));
      const double wide = std::max(kLeast, right - left), x = (left + right - wide) / 2;
      const std::string tip = fmt::format("{}: {} to {}", c.label.empty() ? "" : c.label[0], from, to);
      if (one) canvas.rect({x, plot.area.y, wide, plot.area.height}, series_class('f', kValid) + " faint", tip);
      else canvas.rect({x, lane, wide, kLane - 3}, series_class('f', i) + " mark", tip);
    }
    if (!c.shaded.empty()) lane += kLane;
  }
}

/// Where the curves begin to be extrapolated, if that is one place.
void draw_known(Canvas& canvas, const Curves& chart, const CurvePlot& plot) {
  std::optional<double> end;
  for (const Curve& c : chart.curves) {
    if (!leaves_known(c)) continue;
    if (end && *end != c.known.second) return;
    end = c.known.second;
  }
  if (!end || !inside({plot.x.range.low, plot.x.range.high}, *end)) return;
  const double x = plot.x.at(*end);
  canvas.line(x, plot.area.y, x, plot.area.y + plot.area.height, "soft thin dashed");
}

void draw_band(Canvas& canvas, const CurvePlot& plot, const std::vector<CurveSample>& run, size_t series) {
  std::vector<PixelPlace> outline, back;
  const auto add = [&](std::vector<PixelPlace>& to, double x, double y) {
    PixelPlace p = plot.at(x, y);
    p.y = std::clamp(p.y, plot.area.y, plot.low);
    to.push_back(p);
  };
  for (const CurveSample& s : run) {
    if (!s.band || !std::isfinite(s.band->first) || !std::isfinite(s.band->second)) continue;
    add(outline, s.x, s.band->first);
    add(back, s.x, s.band->second);
  }
  outline.insert(outline.end(), back.rbegin(), back.rend());
  if (outline.size() > 2) canvas.polyline(outline, series_class('f', series) + " faint");
}

/// One run in pieces: drawn through where it is known, dashed elsewhere. Returns its last place in the area.
std::optional<PixelPlace> draw_run(Canvas& canvas, const CurvePlot& plot, const Curve& c,
                                   const std::vector<CurveSample>& run, size_t series, AvoidedBoxes& marks) {
  std::optional<PixelPlace> last;
  if (run.size() == 1) {  // no line, and still a figure
    const PixelPlace p = plot.at(run[0].x, run[0].y);
    if (!(p.y >= plot.area.y && p.y <= plot.low)) return last;
    canvas.circle(p.x, p.y, kDot / 2, series_class('f', series));
    return p;
  }
  for (size_t i = 0; i + 1 < run.size();) {
    const auto known = [&](size_t at) { return inside(c.known, (run[at].x + run[at + 1].x) / 2); };
    const bool through = known(i);
    std::vector<PixelPlace> line{plot.at(run[i].x, run[i].y)};
    for (; i + 1 < run.size() && known(i) == through; ++i) line.push_back(plot.at(run[i + 1].x, run[i + 1].y));
    for (const auto& part : clipped(line, plot.area.y, plot.low)) {
      canvas.polyline(part, series_class('s', series) + (through ? " none thick" : " none thick dashed"));
      marks.line(part);
      last = part.back();
    }
  }
  return last;
}

void draw_points(Canvas& canvas, const CurvePlot& plot, const Curve& c, size_t series, AvoidedBoxes& marks,
                 std::vector<MarkLabel>& labels) {
  const auto draw_one = [&](const CurvePoint& p, double radius, const std::string& classes) {
    if (!std::isfinite(p.y) || (plot.y.range.log && p.y <= 0)) return;
    const PixelPlace at = plot.at(p.x, p.y);
    if (!plot.area.holds({at.x, at.y, 0, 0})) return;
    canvas.circle(at.x, at.y, radius, classes, p.tip);
    marks.avoided.push_back({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
    if (!p.label.empty()) labels.push_back({{at.x, at.y, radius, 0, 0}, {p.label}});
  };
  for (const CurvePoint& p : c.points) draw_one(p, kDot, series_class('f', series) + " edge thin");
  for (const CurvePoint& p : c.hollow) draw_one(p, kDot, "none thick " + series_class('s', series));
  if (c.ringed) draw_one(*c.ringed, kRing, "none ink thick");
}

/// Limits with their labels where the lines end on the right.
void draw_limits(Canvas& canvas, const Curves& chart, const CurvePlot& plot, AvoidedBoxes& marks,
                 std::vector<MarkLabel>& labels) {
  for (const CurveLimit& limit : chart.limits) {
    std::vector<PixelPlace> line;
    for (const CurvePoint& p : limit.line) line.push_back(plot.at(p.x, p.y));
    const auto parts = clipped(line, plot.area.y, plot.low);
    for (const auto& part : parts) {
      canvas.polyline(part, "ink none thin");
      marks.line(part);
    }
    if (!parts.empty()) labels.push_back({{parts.back().back().x, parts.back().back().y, 2, 0, 0}, {limit.label}});
  }
}

/// The lines of a curve's label, at most `most`.
std::vector<std::string> label_lines(const Curve& c, size_t most) {
  std::vector<std::string> out;
  for (const std::string& line : c.label)
    for (const std::string& part : broken(line, kLabelSize, kColumn - 12))
      out.push_back(shortened(part, kLabelSize, kColumn - 12));
  if (out.size() <= most) return out;
  out.resize(most);
  out.back() = shortened(out.back() + " ...", kLabelSize, kColumn - 12);
  return out;
}

/// Right of the plot, in the order of the curves' ends, each joined to its curve.
void draw_curve_labels(Canvas& canvas, const Curves& chart, const CurvePlot& plot,
                       const std::vector<std::optional<PixelPlace>>& ends) {
  const double x = plot.area.x + plot.area.width + kLabelGap, gap = 6;
  const double room = plot.area.height / static_cast<double>(chart.curves.size());
  const size_t most = static_cast<size_t>(std::max(1.0, (room - gap) / kLabelLine));
  std::vector<std::vector<std::string>> lines;
  std::vector<double> wanted, heights;
  for (size_t i = 0; i < chart.curves.size(); ++i) {
    lines.push_back(label_lines(chart.curves[i], most));
    heights.push_back(static_cast<double>(lines.back().size()) * kLabelLine + gap);
    wanted.push_back(ends[i] ? ends[i]->y : plot.low);
  }
  const auto tops = stacked(wanted, heights, plot.area.y, plot.area.y + plot.area.height);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const double high = heights[i] - gap;
    if (ends[i])
      canvas.line(ends[i]->x + 2, ends[i]->y, x - 2, tops[i] + heights[i] / 2, series_class('s', i) + " thin");
    canvas.rect({x - 2, tops[i] + gap / 2, 3, high}, series_class('f', i));
    for (size_t k = 0; k < lines[i].size(); ++k)
      canvas.text(x + 7, tops[i] + gap / 2 + 10 + static_cast<double>(k) * kLabelLine, lines[i][k],
                  {.size = kLabelSize, .classes = k == 0 ? "" : "soft"});
  }
}

void draw_data(Canvas& canvas, const Curves& chart, const CurvePlot& plot) {
  for (size_t i = 0; i < chart.curves.size(); ++i)
    for (const auto& run : chart.curves[i].runs) draw_band(canvas, plot, run, i);
  AvoidedBoxes marks;
  std::vector<MarkLabel> labels;
  draw_limits(canvas, chart, plot, marks, labels);
  std::vector<std::optional<PixelPlace>> ends;
  for (size_t i = 0; i < chart.curves.size(); ++i) {
    ends.emplace_back();
    for (const auto& run : chart.curves[i].runs)
      if (const auto last = draw_run(canvas, plot, chart.curves[i], run, i, marks)) ends.back() = last;
  }
  for (size_t i = 0; i < chart.curves.size(); ++i) draw_points(canvas, plot, chart.curves[i], i, marks, labels);
  draw_labels(canvas, plot.area, labels, {}, marks.avoided);
  draw_curve_labels(canvas, chart, plot, ends);
}

}  // namespace

std::string draw(const Curves& chart) {
  const bool is_empty = std::ranges::none_of(chart.curves, has_samples);
  return draw_page(chart, kPageWidth, is_empty, [&](Canvas& canvas, double top) {
    const double y = draw_key(canvas, chart, top + 8);
    const PixelBox area{kLeft, y, kPageWidth - kLeft - kMargin - kColumn - kLabelGap, kPlotHeight};
    const auto lanes = std::ranges::count_if(chart.curves, [](const Curve& c) { return !c.shaded.empty(); });
    const CurvePlot plot = plot_of(chart, area, chart.curves.size() > 1 ? static_cast<size_t>(lanes) : 0);
    draw_shaded(canvas, chart, plot);
    draw_axes(canvas, plot, chart.x.title, {.title = chart.y.title});
    draw_known(canvas, chart, plot);
    draw_data(canvas, chart, plot);
    return y + kPlotHeight + kBelow;
  });
}

}  // namespace cli::svg
