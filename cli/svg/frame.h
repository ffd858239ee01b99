// What stands around the data of every chart: heading, legend, axes.
#pragma once

#include <string>
#include <vector>

#include "cli/svg/axis.h"
#include "cli/svg/canvas.h"

namespace cli::svg {

inline constexpr double kPageWidth = 960, kMargin = 24;  // pixels
inline constexpr double kLine = 16;                      // from baseline to baseline of small text

/// Title and lines of text below it, at the top of a page `width` wide; returns the y below.
double draw_heading(Canvas& canvas, double width, const std::string& title, const std::string& subtitle);

/// A coloured square and a name for each series that is not empty, on as many lines as they need; returns the y below.
double draw_legend(Canvas& canvas, double x, double y, double width, const std::vector<std::string>& series);

/// Ticks and their grid around `area`, with the axes' titles (quantity and unit) below and to the left of it.
struct AxisStyle {
  std::string title;
  int ticks = 8;
  bool percent = false;  // fractions, printed as percentages
};
void draw_x_axis(Canvas& canvas, const Box& area, const Axis& axis, const AxisStyle& style);
void draw_y_axis(Canvas& canvas, const Box& area, const Axis& axis, const AxisStyle& style);

/// A sentence in the middle of `area`, in place of data.
void draw_nothing(Canvas& canvas, const Box& area, const std::string& why);

/// A label beside a mark.
struct Label {
  Anchor mark;  // of `width` and `height` nothing is read
  std::vector<std::string> lines;
};
/// Writes those for which there is a place, the first served first, with a line to their marks where they stand apart.
void draw_labels(Canvas& canvas, const Box& area, const std::vector<Label>& labels, const std::vector<Box>& taken,
                 const std::vector<Box>& marks);

}  // namespace cli::svg
