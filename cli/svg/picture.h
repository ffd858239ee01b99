// The charts that a report may carry; drawing one is a function from its struct to text (SVG).
#pragma once

#include <string>
#include <variant>

#include "cli/svg/curves.h"
#include "cli/svg/front.h"
#include "cli/svg/grid.h"
#include "cli/svg/roofline.h"
#include "cli/svg/stacked_bars.h"

namespace cli::svg {

using Picture = std::variant<Roofline, Front, StackedBars, Grid, Curves>;

}  // namespace cli::svg
