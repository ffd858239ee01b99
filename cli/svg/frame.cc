#include "cli/svg/frame.h"

#include <algorithm>
#include <cmath>

#include "cli/svg/palette.h"

namespace cli::svg {
namespace {

/// The point of `box` nearest to (x, y).
std::pair<double, double> nearest(const PixelBox& box, double x, double y) {
  return {std::clamp(x, box.x, box.x + box.width), std::clamp(y, box.y, box.y + box.height)};
}

void draw_lead(Canvas& canvas, const Anchor& mark, const PixelBox& label) {
  const auto [x, y] = nearest(label, mark.x, mark.y);
  const double dx = x - mark.x, dy = y - mark.y, length = std::hypot(dx, dy);
  if (length > mark.radius)
    canvas.line(mark.x + dx / length * mark.radius, mark.y + dy / length * mark.radius, x, y, "soft thin");
}

}  // namespace

double draw_heading(Canvas& canvas, double width, const std::string& title, const std::string& subtitle) {
  double y = kMargin + 6;
  for (const std::string& line : broken(title, kTitleSize, width - 2 * kMargin)) {
    canvas.text(kMargin, y, line, {.size = kTitleSize});
    y += kTitleSize + 4;
  }
  if (!subtitle.empty())
    for (const std::string& line : broken(subtitle, kTextSize, width - 2 * kMargin)) {
      canvas.text(kMargin, y, line, {.classes = "soft"});
      y += kLine;
    }
  return y;
}

double draw_legend(Canvas& canvas, double y, const std::vector<std::string>& series) {
  constexpr double kSquare = 11;
  ChartKey key(canvas, y + 4, 5, 18);
  for (size_t i = 0; i < series.size(); ++i)
    key.entry(series[i], kSquare, [&](double x, double middle) {
      canvas.rect({x - kSquare / 2, middle - 6, kSquare, kSquare}, series_class('f', i));
    });
  return key.below();
}

void draw_x_axis(Canvas& canvas, const PixelBox& area, const Axis& axis, const AxisStyle& style) {
  const double bottom = area.y + area.height;
  for (const Tick& tick : ticks(axis.range, style.ticks)) {
    const double x = axis.at(tick.value);
    canvas.line(x, area.y, x, bottom, "grid thin");
    const std::string label = style.percent ? short_number(100 * tick.value) + " %" : tick.label;
    canvas.text(x, bottom + 16, label, {.anchor = "middle", .size = kLabelSize, .classes = "soft"});
  }
  canvas.line(area.x, bottom, area.x + area.width, bottom, "soft thin");
  canvas.text(area.x + area.width / 2, bottom + 36, style.title, {.anchor = "middle"});
}

void draw_y_axis(Canvas& canvas, const PixelBox& area, const Axis& axis, const AxisStyle& style) {
  for (const Tick& tick : ticks(axis.range, style.ticks)) {
    const double y = axis.at(tick.value);
    canvas.line(area.x, y, area.x + area.width, y, "grid thin");
    canvas.text(area.x - 7, y + 4, tick.label, {.anchor = "end", .size = kLabelSize, .classes = "soft"});
  }
  canvas.line(area.x, area.y, area.x, area.y + area.height, "soft thin");
  canvas.text(area.x - 54, area.y + area.height / 2, style.title, {.anchor = "middle", .turned = -90});
}

void draw_nothing(Canvas& canvas, const PixelBox& area, const std::string& why) {
  canvas.text(area.x + area.width / 2, area.y + area.height / 2, why,
              {.anchor = "middle", .size = 15, .classes = "soft"});
}

void draw_labels(Canvas& canvas, const PixelBox& area, const std::vector<MarkLabel>& labels,
                 const std::vector<PixelBox>& taken, const std::vector<PixelBox>& marks) {
  std::vector<Anchor> anchors;
  for (const MarkLabel& label : labels) {
    anchors.push_back(label.mark);
    for (const std::string& line : label.lines)
      anchors.back().width = std::max(anchors.back().width, text_width(line, kLabelSize) + 4);
    anchors.back().height = static_cast<double>(label.lines.size()) * kLabelLine + 2;
  }
  const auto places = place_labels(anchors, area, taken, marks);
  for (size_t i = 0; i < labels.size(); ++i)
    if (places[i] && places[i]->apart) draw_lead(canvas, labels[i].mark, places[i]->box);
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t line = 0; places[i] && line < labels[i].lines.size(); ++line)
      canvas.text(places[i]->box.x + 2, places[i]->box.y + kLabelSize + static_cast<double>(line) * kLabelLine,
                  labels[i].lines[line], {.size = kLabelSize, .classes = "halo"});
}

}  // namespace cli::svg
