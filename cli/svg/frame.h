// The parts around the data of every chart: heading, legend, axes.
#pragma once

#include <string>
#include <vector>

#include "cli/svg/axis.h"
#include "cli/svg/canvas.h"
#include "cli/svg/text.h"

namespace cli::svg {

inline constexpr double kPageWidth = 960, kMargin = 24;  // pixels
inline constexpr double kLine = 16;                      // from baseline to baseline of small text
inline constexpr double kLabelSize = 11, kLabelLine = 13;

/// Title and lines of text below it, at the top of a page `width` wide; returns the y below.
double draw_heading(Canvas& canvas, double width, const std::string& title, const std::string& subtitle);

/// Lines of text below each other, the first with its baseline at `y`; returns the y below.
double draw_lines(Canvas& canvas, double x, double y, const std::vector<std::string>& lines,
                  const TextStyle& style = {}, double step = kLine);

/// A sentence in the middle of `area`, in place of data.
void draw_nothing(Canvas& canvas, const PixelBox& area, const std::string& why);

/// A page of a chart: its heading, and `content`, which draws from the y below it to the y that it returns. A chart
/// without data shows the reason in its place.
template <class Chart, class Content>
std::string draw_page(const Chart& chart, double width, bool is_empty, Content content, double empty_height = 100) {
  Canvas canvas;
  const double top = draw_heading(canvas, width, chart.title, chart.subtitle);
  if (is_empty) draw_nothing(canvas, {0, top, width, empty_height}, chart.nothing);
  const double end = is_empty ? top + empty_height : content(canvas, top);
  return canvas.document(width, end, chart.title, chart.subtitle);
}

/// Marks and their meaning, side by side from the left margin, on as many lines as they need.
class ChartKey {
 public:
  /// Pixels: `gap` from a mark to its text, `between` from the text to the next mark.
  ChartKey(Canvas& canvas, double y, double gap, double between)
      : canvas_(canvas), y_(y), gap_(gap), between_(between) {}

  /// `mark` draws around the point that it is given. Without a text there is no entry.
  template <class Mark> void entry(const std::string& text, double wide, Mark mark) {
    if (text.empty()) return;
    const double width = wide + gap_ + text_width(text, kTextSize);
    if (x_ > kMargin && x_ + width > kPageWidth - kMargin) x_ = kMargin, y_ += kLine + 3;
    mark(x_ + wide / 2, y_ - 4);
    canvas_.text(x_ + wide + gap_, y_, text);
    x_ += width + between_;
  }

  double below() const { return y_ + kLine; }

 private:
  Canvas& canvas_;
  double x_ = kMargin, y_, gap_, between_;
};

/// A key of a coloured square and a name for each series that is not empty; returns the y below.
double draw_legend(Canvas& canvas, double y, const std::vector<std::string>& series);

/// Ticks and their grid around `area`, with the axes' titles (quantity and unit) below and to the left of it.
struct AxisStyle {
  std::string title;
  int ticks = 8;
  bool percent = false;  // fractions, printed as percentages
};
void draw_x_axis(Canvas& canvas, const PixelBox& area, const Axis& axis, const AxisStyle& style);

/// The area of a chart between its axes.
struct ChartPlot {
  PixelBox area;
  Axis x, y;
  PixelPlace at(double x_value, double y_value) const { return {x.at(x_value), y.at(y_value)}; }
};

/// Both axes of a chart, titled.
void draw_axes(Canvas& canvas, const ChartPlot& plot, const std::string& x_title, const AxisStyle& y);

/// The parts of a line that lie between two heights on the page, `top` above `low`.
std::vector<std::vector<PixelPlace>> clipped(const std::vector<PixelPlace>& line, double top, double low);

/// A label next to a mark.
struct MarkLabel {
  Anchor mark;  // of `width` and `height` nothing is read
  std::vector<std::string> lines;
};
/// Writes the labels for which there is room, in order of priority, with a line to their marks if they are apart.
void draw_labels(Canvas& canvas, const PixelBox& area, const std::vector<MarkLabel>& labels,
                 const std::vector<PixelBox>& taken, const std::vector<PixelBox>& marks);

}  // namespace cli::svg
