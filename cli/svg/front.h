// Plans as points of a plane, and those that no other beats on both axes (the Pareto front) joined by a line.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cli::svg {

/// A line across the plot: a deadline, a budget.
struct FrontLimit {
  double value = 0;
  std::string label;  // "deadline 30.00 d"
};

struct FrontAxis {
  std::string title;  // quantity and unit: "days of the run"
  bool more = false;  // more is better
  std::optional<FrontLimit> limit = {};
};

/// Where a value lies with 80 %.
struct FrontSpan {
  double low = 0, high = 0;
};

struct FrontPoint {
  double x = 0, y = 0;
  std::string label, tip;               // next to the point, or below the plot; the tooltip
  bool best = false;                    // for the goal
  std::string series = {};              // points of one series have a colour: a machine; empty: of none
  std::optional<FrontSpan> along = {};  // the interval of x
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
