#include "cli/svg/front_key.h"

#include <algorithm>

#include "cli/svg/frame.h"
#include "cli/svg/text.h"

namespace cli::svg {
namespace {

constexpr double kNumberWidth = 26, kGap = 24, kBetween = 4;

/// Returns the y below.
double draw_entry(Canvas& canvas, double x, double y, double width, size_t number, const std::string& label) {
  canvas.text(x + kNumberWidth - 8, y, std::to_string(number), {.anchor = "end", .classes = "soft"});
  for (const std::string& line : broken(label, kTextSize, width - kNumberWidth)) {
    canvas.text(x + kNumberWidth, y, line);
    y += kLine;
  }
  return y + kBetween;
}

}  // namespace

double draw_front_key(Canvas& canvas, double y, const std::vector<std::string>& labels) {
  const double width = (kPageWidth - 2 * kMargin - kGap) / 2;
  const size_t half = (labels.size() + 1) / 2;
  double below = y;
  for (size_t column = 0; column < 2; ++column) {
    double at = y;
    const size_t end = std::min(labels.size(), (column + 1) * half);
    for (size_t i = column * half; i < end; ++i)
      at = draw_entry(canvas, kMargin + static_cast<double>(column) * (width + kGap), at, width, i + 1, labels[i]);
    below = std::max(below, at);
  }
  return below;
}

}  // namespace cli::svg
