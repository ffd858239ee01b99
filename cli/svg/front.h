// Plans as points of a plane, and those that no other beats on both axes (the Pareto front) joined by a line.
#pragma once

#include <string>
#include <vector>

namespace cli::svg {

struct FrontAxis {
  std::string title;  // quantity and unit: "days of the run"
  bool more = false;  // more is better
};

struct FrontPoint {
  double x = 0, y = 0;
  std::string label, tip;  // next to points of the front, or below the plot; the tooltip
  bool best = false;       // for the goal
};

struct Front {
  std::string title, subtitle = {};
  FrontAxis x, y;
  std::vector<FrontPoint> points = {};
  std::string nothing;  // why there are none
};

/// Indices of the points that no other beats: no worse on both axes and better on one. Of equal points the first.
/// From the best x to the worst.
std::vector<size_t> undominated(const Front& chart);

std::string draw(const Front& chart);

}  // namespace cli::svg
