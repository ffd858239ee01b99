// The key of a front that is too full for labels beside its points: numbers there, and what they stand for below.
#pragma once

#include <vector>

#include "cli/svg/canvas.h"

namespace cli::svg {

/// A front of more points than this has numbers.
inline constexpr size_t kMostLabels = 7;

/// Writes the labels of points, numbered from 1, in two columns below `y`; returns the y below.
double draw_front_key(Canvas& canvas, double y, const std::vector<std::string>& labels);

}  // namespace cli::svg
