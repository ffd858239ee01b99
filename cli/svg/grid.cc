#include "cli/svg/grid.h"

#include <algorithm>
#include <cmath>

#include "cli/svg/frame.h"
#include "cli/svg/palette.h"
#include "cli/svg/text.h"

namespace cli::svg {
namespace {

constexpr double kSmall = 10.5, kRowLabel = 220;    // pixels
constexpr double kLeastCell = 56, kMostCell = 150;  // width
constexpr double kCellHeight = 30, kNotedHeight = 42;
constexpr size_t kMostLines = 3;  // of a column's label that is not turned
constexpr double kTurned = -40;   // degrees

struct GridLayout {
  double row_label = 0, cell_width = kLeastCell, cell_height = kCellHeight;
  bool turned = false;     // the columns' labels
  double head_height = 0;  // of them
  double right = 0;        // of the last column, what its turned label needs
  double width = kPageWidth;
};

double widest(const std::vector<std::string>& texts, double size) {
  double most = 0;
  for (const std::string& t : texts) most = std::max(most, text_width(t, size));
  return most;
}

/// The cells, as wide as their texts and as the page allows.
void measure_cells(const Grid& chart, GridLayout& l) {
  for (const Panel& panel : chart.panels)
    for (const auto& row : panel.cells)
      for (const Cell& cell : row) {
        const double width = std::max(text_width(cell.text, kTextSize), text_width(cell.note, kSmall));
        l.cell_width = std::max(l.cell_width, width + 14);
        if (!cell.note.empty()) l.cell_height = kNotedHeight;
      }
  const double room = kPageWidth - 2 * kMargin - l.row_label - 30;
  const double even = room / static_cast<double>(std::max<size_t>(chart.columns.size(), 1));
  l.cell_width = std::max(l.cell_width, std::min(even, kMostCell));
}

void measure_head(const Grid& chart, GridLayout& l) {
  size_t lines = 1;
  for (const std::string& name : chart.columns) {
    const auto parts = broken(name, kTextSize, l.cell_width - 6);
    lines = std::max(lines, parts.size());
    l.turned |= parts.size() > kMostLines || widest(parts, kTextSize) > l.cell_width - 6;
  }
  l.head_height = static_cast<double>(lines) * kLine + 6;
  if (!l.turned) return;
  const double angle = -kTurned * 3.14159265358979323846 / 180,
               longest = std::min(widest(chart.columns, kTextSize), kRowLabel);
  l.head_height = longest * std::sin(angle) + kLine;
  l.right = std::max(0.0, longest * std::cos(angle) - l.cell_width / 2);
}

GridLayout layout_of(const Grid& chart) {
  GridLayout l;
  l.row_label = std::min(widest(chart.rows, kTextSize), kRowLabel);
  measure_cells(chart, l);
  measure_head(chart, l);
  const double cells = l.cell_width * static_cast<double>(chart.columns.size());
  l.width = std::max(kPageWidth, 2 * kMargin + l.row_label + 30 + cells + l.right);
  return l;
}

void draw_columns(Canvas& canvas, const Grid& chart, const GridLayout& l, double left, double bottom) {
  for (size_t c = 0; c < chart.columns.size(); ++c) {
    const double middle = left + l.cell_width * (static_cast<double>(c) + 0.5);
    if (l.turned) {
      canvas.text(middle, bottom - 6, shortened(chart.columns[c], kTextSize, kRowLabel), {.turned = kTurned});
      continue;
    }
    const auto lines = broken(chart.columns[c], kTextSize, l.cell_width - 6);
    draw_lines(canvas, middle, bottom - 6 - kLine * static_cast<double>(lines.size() - 1), lines, {.anchor = "middle"});
  }
}

void draw_cell(Canvas& canvas, const Panel& panel, const Cell& cell, const PixelBox& box) {
  const double middle = box.x + box.width / 2;
  if (!cell.value) {
    canvas.rect(box, "none grid thin", cell.tip);
    canvas.text(middle, box.y + box.height / 2 + 4, cell.text.empty() ? "-" : cell.text,
                {.anchor = "middle", .classes = "soft"});
    return;
  }
  const Shade colour = shade((*cell.value - panel.low) / (panel.high - panel.low));
  canvas.rect(box, "edge thin", cell.tip, colour.fill);
  const double y = box.y + box.height / 2 + (cell.note.empty() ? 4 : -2);
  canvas.text(middle, y, cell.text, {.anchor = "middle"}, colour.ink);
  canvas.text(middle, y + 14, cell.note, {.anchor = "middle", .size = kSmall}, colour.ink);
}

/// Title, heads of the columns, rows; returns the y below.
double draw_panel(Canvas& canvas, const Grid& chart, const Panel& panel, const GridLayout& l, double y) {
  const double left = kMargin + 22 + l.row_label + 8;
  canvas.text(kMargin, y + 12, panel.title, {.size = 14});
  y += 12 + 10 + l.head_height;
  draw_columns(canvas, chart, l, left, y);
  const double top = y;
  for (size_t r = 0; r < chart.rows.size(); ++r) {
    canvas.text(left - 8, y + l.cell_height / 2 + 4, shortened(chart.rows[r], kTextSize, kRowLabel), {.anchor = "end"});
    for (size_t c = 0; c < chart.columns.size(); ++c)
      draw_cell(canvas, panel, panel.cells[r][c],
                {left + l.cell_width * static_cast<double>(c), y, l.cell_width, l.cell_height});
    y += l.cell_height;
  }
  const double cells = l.cell_width * static_cast<double>(chart.columns.size());
  canvas.text(left + cells / 2, y + 18, chart.x_title, {.anchor = "middle", .classes = "soft"});
  canvas.text(kMargin + 8, (top + y) / 2, chart.y_title, {.anchor = "middle", .classes = "soft", .turned = -90});
  return y + 26;
}

/// The colours from the lowest value to the highest.
double draw_scale(Canvas& canvas, const GridLayout& l, double y) {
  constexpr int kSteps = 24;
  constexpr double kStep = 7;
  const double left = l.width - kMargin - kSteps * kStep - 60;
  for (int i = 0; i < kSteps; ++i)
    canvas.rect({left + i * kStep, y, kStep + 0.5, 10}, "", "", shade((i + 0.5) / kSteps).fill);
  canvas.text(left - 6, y + 9, "less", {.anchor = "end", .size = kSmall, .classes = "soft"});
  canvas.text(left + kSteps * kStep + 6, y + 9, "more", {.size = kSmall, .classes = "soft"});
  return y;
}

}  // namespace

std::string draw(const Grid& chart) {
  const GridLayout l = layout_of(chart);
  const bool is_empty = chart.panels.empty() || chart.columns.empty() || chart.rows.empty();
  return draw_page(chart, l.width, is_empty, [&](Canvas& canvas, double top) {
    double y = draw_scale(canvas, l, top + 4) + 4;
    for (const Panel& panel : chart.panels) y = draw_panel(canvas, chart, panel, l, y + 8);
    return y + 8;
  });
}

}  // namespace cli::svg
