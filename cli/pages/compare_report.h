// trainplan.compare/1 and the page of two plans side by side.
#pragma once

#include "cli/pages/plan_difference.h"

namespace cli {

/// `differences` are those of the two scenarios, in this order.
Report compare_report(const ComparedPlan& a, const ComparedPlan& b,
                      const std::vector<planner::Difference>& differences);

}  // namespace cli
