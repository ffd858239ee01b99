// Where the curves of a chart stand on its page (curves.cc draws them).
#pragma once

#include <string>
#include <vector>

#include "cli/svg/axis.h"
#include "cli/svg/canvas.h"
#include "cli/svg/curves.h"
#include "cli/svg/labels.h"

namespace cli::svg {

/// Pixels.
struct Place {
  double x = 0, y = 0;
};

struct Plot {
  Box area;    // of the axes
  double low;  // pixels: data end here, above the lanes of shaded intervals
  Axis x, y;

  /// A value that a logarithm does not have lies far below the area.
  Place at(double x_value, double y_value) const;
};

/// `lanes`: strips at the bottom of `area`, for shaded intervals of several curves.
Plot plot_of(const Curves& chart, const Box& area, size_t lanes);

inline constexpr double kLane = 9;              // pixels from lane to lane
inline constexpr double kDot = 4.5, kRing = 8;  // radii
inline constexpr size_t kValid = 2;             // the colour of what is valid for the only curve

bool inside(const std::pair<double, double>& range, double x);
/// Whether some of the curve is outside what is known.
bool leaves_known(const Curve& curve);

/// The parts of a line that lie between the top of the plot's area and `low`.
std::vector<std::vector<Place>> clipped(const Plot& plot, const std::vector<Place>& line);

/// Tops of blocks `heights` high, each as near to where it is `wanted` (its middle) as can be, none over another, all
/// between `from` and `to` where they fit.
std::vector<double> stacked(const std::vector<double>& wanted, const std::vector<double>& heights, double from,
                            double to);

}  // namespace cli::svg
