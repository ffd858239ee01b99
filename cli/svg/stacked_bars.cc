#include "cli/svg/stacked_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/svg/frame.h"
#include "cli/svg/palette.h"
#include "cli/svg/text.h"

namespace cli::svg {
namespace {

constexpr double kBar = 26, kGap = 10, kHeading = 26, kBelow = 52;
constexpr double kLabelWidth = 220;

double total(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), bar.from); }

std::string figure(const StackedBars& chart, double value) {
  return chart.percent ? fmt::format("{:.1f} %", 100 * value) : short_number(value);
}

/// A legend says what a single bar has no room for.
std::vector<std::string> legend(const StackedBars& chart) {
  std::vector<std::string> names = chart.series;
  if (chart.bars.size() == 1)
    for (size_t i = 0; i < names.size() && i < chart.bars[0].parts.size(); ++i)
      if (!names[i].empty()) names[i] += " " + figure(chart, chart.bars[0].parts[i]);
  return names;
}

struct BarRows {
  std::vector<std::vector<std::string>> labels;  // lines of each bar's label
  double label_width = 0, note_width = 0;
  double height = 0;

  double of(size_t i) const { return std::max(kBar, static_cast<double>(labels[i].size()) * kLine); }
};

BarRows measured(const StackedBars& chart) {
  BarRows rows;
  for (const Bar& bar : chart.bars) {
    rows.labels.push_back(broken(bar.label, kTextSize, kLabelWidth));
    for (const std::string& line : rows.labels.back())
      rows.label_width = std::max(rows.label_width, text_width(line, kTextSize));
    rows.label_width = std::min(rows.label_width, kLabelWidth);
    rows.note_width = std::max(rows.note_width, text_width(bar.note, kTextSize));
    rows.height += rows.of(rows.labels.size() - 1) + kGap + (bar.heading.empty() ? 0 : kHeading);
  }
  return rows;
}

void draw_parts(Canvas& canvas, const StackedBars& chart, const Bar& bar, const Axis& x, double y) {
  double sum = bar.from;
  for (size_t i = 0; i < bar.parts.size(); ++i) {
    const double from = x.at(sum), to = x.at(sum += bar.parts[i]);
    if (bar.parts[i] <= 0) continue;
    const std::string text = figure(chart, bar.parts[i]);
    canvas.rect({from, y, to - from, kBar}, series_class('f', i) + " edge thin",
                bar.label + ": " + chart.series[i] + " " + text);
    if (text_width(text, kTextSize) + 6 <= to - from)
      canvas.text((from + to) / 2, y + kBar / 2 + 4, text, {.anchor = "middle", .classes = series_class('o', i)});
  }
  canvas.text(x.at(sum) + 7, y + kBar / 2 + 4, bar.note, {.classes = "halo"});
}

void draw_label(Canvas& canvas, const std::vector<std::string>& lines, double right, double middle) {
  double y = middle + 4 - kLine * static_cast<double>(lines.size() - 1) / 2;
  for (const std::string& line : lines) {
    canvas.text(right, y, shortened(line, kTextSize, kLabelWidth), {.anchor = "end"});
    y += kLine;
  }
}

void draw_bars(Canvas& canvas, const StackedBars& chart, const BarRows& rows, const PixelBox& area, const Axis& x) {
  double y = area.y + kGap / 2;
  for (size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    if (!bar.heading.empty()) {
      canvas.text(kMargin, y + kHeading - 10, bar.heading, {.classes = "soft"});
      y += kHeading;
    }
    const double height = rows.of(i);
    draw_label(canvas, rows.labels[i], area.x - 8, y + height / 2);
    draw_parts(canvas, chart, bar, x, y + (height - kBar) / 2);
    y += height + kGap;
  }
}

}  // namespace

std::string draw(const StackedBars& chart) {
  return draw_page(chart, kPageWidth, chart.bars.empty(), [&](Canvas& canvas, double top) {
    const double y = draw_legend(canvas, top + 8, legend(chart)) + 2;
    const BarRows rows = measured(chart);
    const double left = kMargin + rows.label_width + 8;
    const double notes = rows.note_width > 0 ? rows.note_width + 10 : 0;
    const PixelBox area{left, y, kPageWidth - left - kMargin - notes, rows.height};
    double most = 0;
    for (const Bar& bar : chart.bars) most = std::max(most, total(bar));
    const Axis x{nice_range({0, most > 0 ? most : 1}, false), area.x, area.x + area.width};
    draw_x_axis(canvas, area, x, {.title = chart.axis, .percent = chart.percent});
    draw_bars(canvas, chart, rows, area, x);
    return y + rows.height + kBelow;
  });
}

}  // namespace cli::svg
