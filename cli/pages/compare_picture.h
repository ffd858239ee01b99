// The picture of a comparison: from the step of A to that of B, a bar for what each difference adds or takes.
#pragma once

#include "cli/pages/plan_difference.h"
#include "cli/svg/stacked_bars.h"

namespace cli {

/// What adds stands before what takes, each with the largest first, so that no bar begins below zero.
svg::StackedBars compare_waterfall(const ComparedPlan& a, const ComparedPlan& b,
                                   const std::vector<planner::Difference>& differences);

}  // namespace cli
