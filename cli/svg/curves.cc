#include "cli/svg/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/svg/curves_key.h"
#include "cli/svg/curves_plot.h"
#include "cli/svg/frame.h"
#include "cli/svg/palette.h"
#include "cli/svg/text.h"

namespace cli::svg {
namespace {

constexpr double kLeft = 88, kPlotHeight = 480, kBelow = 52;
constexpr double kColumn = 214, kLabelGap = 26;  // labels of curves, right of the plot; from curve to label
constexpr double kSmall = 11, kSmallLine = 13;

std::string polyline(const std::vector<Place>& line) {
  std::string out;
  for (const Place& p : line) out += fixed(p.x) + "," + fixed(p.y) + " ";
  return out;
}

/// What labels in the plot had better not cover.
struct Marks {
  std::vector<Box> avoided;
  void line(const std::vector<Place>& line) {
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      const Place &a = line[i], &b = line[i + 1];
      const int steps = std::max(1, static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / 6));
      for (int k = 0; k <= steps; ++k)
        avoided.push_back({a.x + (b.x - a.x) * k / steps - 1.5, a.y + (b.y - a.y) * k / steps - 1.5, 3, 3});
    }
  }
};

bool has_samples(const Curve& c) {
  return std::ranges::any_of(c.runs, [](const auto& run) { return !run.empty(); });
}

/// From the first to the last x of the curves.
std::pair<double, double> extent(const Curves& chart) {
  std::pair<double, double> out{INFINITY, -INFINITY};
  for (const Curve& c : chart.curves)
    for (const auto& run : c.runs)
      for (const CurveSample& s : run) out = {std::min(out.first, s.x), std::max(out.second, s.x)};
  return out;
}

/// The intervals of the only curve over the whole height, those of several in a lane each.
void draw_shaded(Canvas& canvas, const Curves& chart, const Plot& plot) {
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
void draw_known(Canvas& canvas, const Curves& chart, const Plot& plot) {
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

void draw_band(Canvas& canvas, const Plot& plot, const std::vector<CurveSample>& run, size_t series) {
  std::vector<Place> outline, back;
  const auto add = [&](std::vector<Place>& to, double x, double y) {
    Place p = plot.at(x, y);
    p.y = std::clamp(p.y, plot.area.y, plot.low);
    to.push_back(p);
  };
  for (const CurveSample& s : run) {
    if (!s.band || !std::isfinite(s.band->first) || !std::isfinite(s.band->second)) continue;
    add(outline, s.x, s.band->first);
    add(back, s.x, s.band->second);
  }
  outline.insert(outline.end(), back.rbegin(), back.rend());
  if (outline.size() > 2) canvas.polyline(polyline(outline), series_class('f', series) + " faint");
}

/// One run in pieces: drawn through where it is known, dashed elsewhere. Returns its last place in the area.
std::optional<Place> draw_run(Canvas& canvas, const Plot& plot, const Curve& c, const std::vector<CurveSample>& run,
                              size_t series, Marks& marks) {
  std::optional<Place> last;
  if (run.size() == 1) {  // no line, and still a figure
    const Place p = plot.at(run[0].x, run[0].y);
    if (!(p.y >= plot.area.y && p.y <= plot.low)) return last;
    canvas.circle(p.x, p.y, kDot / 2, series_class('f', series));
    return p;
  }
  for (size_t i = 0; i + 1 < run.size();) {
    const auto known = [&](size_t at) { return inside(c.known, (run[at].x + run[at + 1].x) / 2); };
    const bool through = known(i);
    std::vector<Place> line{plot.at(run[i].x, run[i].y)};
    for (; i + 1 < run.size() && known(i) == through; ++i) line.push_back(plot.at(run[i + 1].x, run[i + 1].y));
    for (const auto& part : clipped(plot, line)) {
      canvas.polyline(polyline(part), series_class('s', series) + (through ? " none thick" : " none thick dashed"));
      marks.line(part);
      last = part.back();
    }
  }
  return last;
}

void draw_points(Canvas& canvas, const Plot& plot, const Curve& c, size_t series, Marks& marks,
                 std::vector<Label>& labels) {
  const auto draw_one = [&](const CurvePoint& p, double radius, const std::string& classes) {
    if (!std::isfinite(p.y) || (plot.y.range.log && p.y <= 0)) return;
    const Place at = plot.at(p.x, p.y);
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
void draw_limits(Canvas& canvas, const Curves& chart, const Plot& plot, Marks& marks, std::vector<Label>& labels) {
  for (const CurveLimit& limit : chart.limits) {
    std::vector<Place> line;
    for (const CurvePoint& p : limit.line) line.push_back(plot.at(p.x, p.y));
    const auto parts = clipped(plot, line);
    for (const auto& part : parts) {
      canvas.polyline(polyline(part), "ink none thin");
      marks.line(part);
    }
    if (!parts.empty()) labels.push_back({{parts.back().back().x, parts.back().back().y, 2, 0, 0}, {limit.label}});
  }
}

/// The lines of a curve's label, at most `most`.
std::vector<std::string> label_lines(const Curve& c, size_t most) {
  std::vector<std::string> out;
  for (const std::string& line : c.label)
    for (const std::string& part : broken(line, kSmall, kColumn - 12))
      out.push_back(shortened(part, kSmall, kColumn - 12));
  if (out.size() <= most) return out;
  out.resize(most);
  out.back() = shortened(out.back() + " ...", kSmall, kColumn - 12);
  return out;
}

/// Right of the plot, in the order of the curves' ends, each joined to its curve.
void draw_curve_labels(Canvas& canvas, const Curves& chart, const Plot& plot,
                       const std::vector<std::optional<Place>>& ends) {
  const double x = plot.area.x + plot.area.width + kLabelGap, gap = 6;
  const double room = plot.area.height / static_cast<double>(chart.curves.size());
  const size_t most = static_cast<size_t>(std::max(1.0, (room - gap) / kSmallLine));
  std::vector<std::vector<std::string>> lines;
  std::vector<double> wanted, heights;
  for (size_t i = 0; i < chart.curves.size(); ++i) {
    lines.push_back(label_lines(chart.curves[i], most));
    heights.push_back(static_cast<double>(lines.back().size()) * kSmallLine + gap);
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
      canvas.text(x + 7, tops[i] + gap / 2 + 10 + static_cast<double>(k) * kSmallLine, lines[i][k],
                  {.size = kSmall, .classes = k == 0 ? "" : "soft"});
  }
}

void draw_data(Canvas& canvas, const Curves& chart, const Plot& plot) {
  for (size_t i = 0; i < chart.curves.size(); ++i)
    for (const auto& run : chart.curves[i].runs) draw_band(canvas, plot, run, i);
  Marks marks;
  std::vector<Label> labels;
  draw_limits(canvas, chart, plot, marks, labels);
  std::vector<std::optional<Place>> ends;
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
  Canvas canvas;
  double y = draw_heading(canvas, kPageWidth, chart.title, chart.subtitle);
  if (std::ranges::none_of(chart.curves, has_samples)) {
    draw_nothing(canvas, {0, y, kPageWidth, 100}, chart.nothing);
    return canvas.document(kPageWidth, y + 100, chart.title, chart.subtitle);
  }
  y = draw_key(canvas, chart, y + 8);
  const Box area{kLeft, y, kPageWidth - kLeft - kMargin - kColumn - kLabelGap, kPlotHeight};
  const auto lanes = std::ranges::count_if(chart.curves, [](const Curve& c) { return !c.shaded.empty(); });
  const Plot plot = plot_of(chart, area, chart.curves.size() > 1 ? static_cast<size_t>(lanes) : 0);
  draw_shaded(canvas, chart, plot);
  draw_x_axis(canvas, plot.area, plot.x, {.title = chart.x.title});
  draw_y_axis(canvas, plot.area, plot.y, {.title = chart.y.title});
  draw_known(canvas, chart, plot);
  draw_data(canvas, chart, plot);
  return canvas.document(kPageWidth, y + kPlotHeight + kBelow, chart.title, chart.subtitle);
}

}  // namespace cli::svg
