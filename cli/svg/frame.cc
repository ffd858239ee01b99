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

/// Where the line from a to b has this y.
PixelPlace crossing(const PixelPlace& a, const PixelPlace& b, double y) {
  return {a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y), y};
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

}  // namespace

double draw_lines(Canvas& canvas, double x, double y, const std::vector<std::string>& lines, const TextStyle& style,
                  double step) {
  for (const std::string& line : lines) {
    canvas.text(x, y, line, style);
    y += step;
  }
  return y;
}

double draw_heading(Canvas& canvas, double width, const std::string& title, const std::string& subtitle) {
  const double room = width - 2 * kMargin;
  const double y =
      draw_lines(canvas, kMargin, kMargin + 6, broken(title, kTitleSize, room), {.size = kTitleSize}, kTitleSize + 4);
  if (subtitle.empty()) return y;
  return draw_lines(canvas, kMargin, y, broken(subtitle, kTextSize, room), {.classes = "soft"});
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

void draw_nothing(Canvas& canvas, const PixelBox& area, const std::string& why) {
  canvas.text(area.x + area.width / 2, area.y + area.height / 2, why,
              {.anchor = "middle", .size = 15, .classes = "soft"});
}

void draw_axes(Canvas& canvas, const ChartPlot& plot, const std::string& x_title, const AxisStyle& y) {
  draw_x_axis(canvas, plot.area, plot.x, {.title = x_title});
  draw_y_axis(canvas, plot.area, plot.y, y);
}

std::vector<std::vector<PixelPlace>> clipped(const std::vector<PixelPlace>& line, double top, double low) {
  const auto shows = [&](const PixelPlace& p) { return p.y >= top && p.y <= low; };
  std::vector<std::vector<PixelPlace>> out;
  bool open = false;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const PixelPlace &a = line[i], &b = line[i + 1];
    const bool finite = std::isfinite(a.y) && std::isfinite(b.y);
    const bool apart = (a.y < top && b.y < top) || (a.y > low && b.y > low);
    if (!finite || apart) {
      open = false;
      continue;
    }
    const auto end = [&](const PixelPlace& p) { return shows(p) ? p : crossing(a, b, p.y < top ? top : low); };
    if (!open) out.push_back({end(a)});
    out.back().push_back(end(b));
    open = shows(b);
  }
  return out;
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
