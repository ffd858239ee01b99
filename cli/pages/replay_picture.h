// Where the steps of a trace went, as a picture.
#pragma once

#include "cli/svg/stacked_bars.h"
#include "planner/replay/measured.h"

namespace cli {

/// A bar for each step of each rank, of many the longest 64: computation, transfers and waits that nothing covers,
/// copies, idle times of the device, and what lies before its first and behind its last work. They sum to the step.
svg::StackedBars replay_bars(const planner::replay::Measured& measured);

}  // namespace cli
