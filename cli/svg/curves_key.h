// The key of a chart of curves.
#pragma once

#include "cli/svg/canvas.h"
#include "cli/svg/curves.h"

namespace cli::svg {

/// Marks and their meaning, at the left margin; returns the y below.
double draw_key(Canvas& canvas, const Curves& chart, double y);

}  // namespace cli::svg
