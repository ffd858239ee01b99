#include "cli/svg/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/svg/frame.h"
#include "cli/svg/palette.h"

namespace cli::svg {
namespace {

using Marks = std::vector<const RooflineMark*>;

constexpr double kLeft = 84, kPlotHeight = 500, kStripHeight = 150, kBelow = 52;
constexpr double kLeastLabelled = 0.01;  // share of the time
constexpr double kNeeded = 0.02;         // from this share on a label may stand over marks and lines
constexpr double kRoomRight = 16;        // of the x axis behind all marks: roofs have their names there
constexpr double kRoomAbove = 4;         // of the y axis above all roofs, for labels
constexpr double kOnePlace = 9;          // pixels
constexpr size_t kMostLines = 4;         // of a label

double radius(const RooflineMark& m) { return std::clamp(70 * std::sqrt(m.share), 2.5, 34.0); }

/// Large ones first, so that small ones lie on top of them.
Marks by_share(const std::vector<RooflineMark>& marks, bool with_flops) {
  Marks out;
  for (const RooflineMark& m : marks)
    if (m.seconds > 0 && m.bytes > 0 && (m.flops > 0) == with_flops) out.push_back(&m);
  std::stable_sort(out.begin(), out.end(), [](auto* a, auto* b) { return a->share > b->share; });
  return out;
}

PixelBox around(const PixelPlace& p, double r) { return {p.x - r, p.y - r, 2 * r, 2 * r}; }

/// Labels of the marks with the largest shares. Marks in one place have one, of a line each.
std::vector<MarkLabel> labels_of(const Marks& marks, const std::vector<PixelPlace>& points) {
  std::vector<MarkLabel> labels;
  struct Rest {
    size_t marks = 0;
    double share = 0;
  };
  std::vector<Rest> rest;  // of each label: the items without a line
  for (size_t i = 0; i < marks.size() && marks[i]->share >= kLeastLabelled; ++i) {
    const PixelPlace& p = points[i];
    const auto near = std::find_if(labels.begin(), labels.end(), [&](const MarkLabel& l) {
      return std::hypot(l.mark.x - p.x, l.mark.y - p.y) < std::max(kOnePlace, 0.8 * l.mark.radius);
    });
    if (near == labels.end()) {
      labels.push_back({{p.x, p.y, radius(*marks[i]), 0, 0, marks[i]->share >= kNeeded}, {marks[i]->label}});
      rest.emplace_back();
    } else if (near->lines.size() < kMostLines) {
      near->lines.push_back(marks[i]->label);
    } else {
      Rest& more = rest[static_cast<size_t>(near - labels.begin())];
      ++more.marks, more.share += marks[i]->share;
    }
  }
  for (size_t i = 0; i < labels.size(); ++i)
    if (rest[i].marks > 0)
      labels[i].lines.push_back(fmt::format("and {} more {:.1f} %", rest[i].marks, 100 * rest[i].share));
  return labels;
}

void draw_marks(Canvas& canvas, const PixelBox& area, const Marks& marks, const std::vector<PixelPlace>& points,
                const std::vector<PixelBox>& taken, std::vector<PixelBox> avoided) {
  for (size_t i = 0; i < marks.size(); ++i) {
    const double r = radius(*marks[i]);
    canvas.circle(points[i].x, points[i].y, r, series_class('f', marks[i]->series) + " mark edge", marks[i]->tip);
    avoided.push_back(around(points[i], 0.8 * r));
  }
  draw_labels(canvas, area, labels_of(marks, points), taken, avoided);
}

ChartPlot plot_of(const Roofline& chart, const Marks& marks, double top) {
  std::vector<double> intensities, rates;
  for (const RooflineMark* m : marks) {
    intensities.push_back(m->flops / m->bytes);
    rates.push_back(m->flops / m->seconds);
  }
  for (const Roof& roof : chart.roofs) {
    intensities.push_back(roof.flops_per_second / chart.memory_bytes_per_second);
    rates.push_back(roof.flops_per_second * kRoomAbove);
  }
  intensities.push_back(*std::max_element(intensities.begin(), intensities.end()) * kRoomRight);
  const PixelBox area{kLeft, top, kPageWidth - kLeft - kMargin, kPlotHeight};
  return {area,
          {nice_range(intensities, true), area.x, area.x + area.width},
          {nice_range(rates, true), area.y + area.height, area.y}};
}

/// Where labels of marks may not be, and where they had better not be.
struct Lines {
  std::vector<PixelBox> taken, avoided;
};

/// Roofs from their ridges to the right, labels above their ends.
void draw_roofs(Canvas& canvas, const Roofline& chart, const ChartPlot& plot, Lines& lines) {
  const double right = plot.area.x + plot.area.width;
  for (const Roof& roof : chart.roofs) {
    const double y = plot.y.at(roof.flops_per_second);
    const double ridge = plot.x.at(roof.flops_per_second / chart.memory_bytes_per_second);
    canvas.line(ridge, y, right, y, roof.strong ? "ink thick" : "soft thin dashed");
    const double width = text_width(roof.label, kTextSize);
    PixelBox box{right - width - 4, y - 16, width, 14};
    while (std::any_of(lines.taken.begin(), lines.taken.end(), [&](const PixelBox& b) { return b.overlaps(box); }))
      box.x -= width / 4;
    canvas.text(box.x, y - 5, roof.label, {.classes = roof.strong ? "halo" : "halo soft"});
    lines.taken.push_back(box);
    lines.avoided.push_back({ridge, y - 1, right - ridge, 2});
  }
}

/// The slope of the memory up to the highest roof; its label stands above it, where no mark can be.
void draw_slope(Canvas& canvas, const Roofline& chart, const ChartPlot& plot, Lines& lines) {
  double highest = 0;
  for (const Roof& roof : chart.roofs) highest = std::max(highest, roof.flops_per_second);
  const double from = std::max(plot.x.range.low, plot.y.range.low / chart.memory_bytes_per_second);
  const double to = highest / chart.memory_bytes_per_second;
  const auto y = [&](double x) { return plot.y.at(x * chart.memory_bytes_per_second); };
  canvas.line(plot.x.at(from), y(from), plot.x.at(to), y(to), "ink thick");
  const double width = text_width(chart.memory_label, kTextSize);
  const double rise = (y(from) - y(to)) / (plot.x.at(to) - plot.x.at(from));
  const double end = std::max(plot.x.at(from), plot.area.x + width + 16);
  const PixelBox box{end - width - 10, y(from) - (end - plot.x.at(from)) * rise - 16, width, 14};
  canvas.text(box.x, box.y + 11, chart.memory_label, {.classes = "halo"});
  lines.taken.push_back(box);
  constexpr double kStep = 4;
  for (double x = plot.x.at(from); x < plot.x.at(to); x += kStep)
    lines.avoided.push_back({x, y(from) - (x - plot.x.at(from)) * rise - kStep, kStep, kStep});
}

double draw_plot(Canvas& canvas, const Roofline& chart, const Marks& marks, double top) {
  const ChartPlot plot = plot_of(chart, marks, top);
  draw_axes(canvas, plot, "arithmetic intensity, FLOP per byte read or written",
            {.title = "achieved, FLOP/s", .ticks = 12});
  Lines lines;
  draw_roofs(canvas, chart, plot, lines);
  draw_slope(canvas, chart, plot, lines);
  std::vector<PixelPlace> points;
  for (const RooflineMark* m : marks) points.push_back(plot.at(m->flops / m->bytes, m->flops / m->seconds));
  draw_marks(canvas, plot.area, marks, points, lines.taken, lines.avoided);
  return top + kPlotHeight + kBelow;
}

/// Marks without FLOP by their bytes per second, beside the memory's; those in one place stand above each other.
double draw_strip(Canvas& canvas, const Roofline& chart, const Marks& marks, double top) {
  const PixelBox area{kLeft, top + 20, kPageWidth - kLeft - kMargin, kStripHeight};
  canvas.text(kLeft, top + 8, "without FLOP: copies and communication", {.classes = "soft"});
  std::vector<double> rates{chart.memory_bytes_per_second};
  for (const RooflineMark* m : marks) rates.push_back(m->bytes / m->seconds);
  const Axis x{nice_range(rates, true), area.x, area.x + area.width};
  draw_x_axis(canvas, area, x, {.title = "bytes read and written per second, B/s"});
  const double memory = x.at(chart.memory_bytes_per_second);
  canvas.line(memory, area.y, memory, area.y + area.height, "ink thick");
  std::vector<PixelPlace> points;
  for (const RooflineMark* m : marks) points.push_back({x.at(m->bytes / m->seconds), area.y + area.height / 2});
  const double wide = text_width("memory", kTextSize);
  canvas.text(memory - wide - 6, area.y + 12, "memory", {.classes = "halo"});
  draw_marks(canvas, area, marks, points, {{memory - wide - 6, area.y, wide + 8, 16}},
             {{memory - 1, area.y, 2, area.height}});
  return area.y + area.height + kBelow;
}

}  // namespace

std::string draw(const Roofline& chart) {
  const Marks marks = by_share(chart.marks, true), others = by_share(chart.marks, false);
  const auto content = [&](Canvas& canvas, double top) {
    double y = draw_legend(canvas, top + 8, chart.series);
    if (!marks.empty()) y = draw_plot(canvas, chart, marks, y);
    if (!others.empty()) y = draw_strip(canvas, chart, others, y + 8);
    return y;
  };
  return draw_page(chart, kPageWidth, marks.empty() && others.empty(), content, kStripHeight);
}

}  // namespace cli::svg
