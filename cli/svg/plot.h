// The area of a chart between its axes, and lines that are cut where they leave it.
#pragma once

#include <vector>

#include "cli/svg/axis.h"
#include "cli/svg/labels.h"

namespace cli::svg {

struct ChartPlot {
  PixelBox area;
  Axis x, y;
  PixelPlace at(double x_value, double y_value) const { return {x.at(x_value), y.at(y_value)}; }
};

/// The parts of a line that lie between two heights on the page, `top` above `low`.
std::vector<std::vector<PixelPlace>> clipped(const std::vector<PixelPlace>& line, double top, double low);

}  // namespace cli::svg
