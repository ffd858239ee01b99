// trainplan.compare/1 and the page of two plans side by side.
#pragma once

#include "cli/pages/plan_difference.h"
#include "cli/svg/stacked_bars.h"

namespace cli {

/// `differences` are those of the two scenarios, in this order.
Report compare_report(const ComparedPlan& a, const ComparedPlan& b,
                      const std::vector<planner::Difference>& differences);

/// From the step of A to that of B, with a bar for each difference. Increases come before decreases, each sorted by
/// size, so that no bar begins below zero.
svg::StackedBars compare_waterfall(const ComparedPlan& a, const ComparedPlan& b,
                                   const std::vector<planner::Difference>& differences);

}  // namespace cli
