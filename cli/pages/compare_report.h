// trainplan.compare/1 and the page of two plans side by side.
#pragma once

#include "cli/report/report.h"
#include "planner/plan/plan.h"
#include "planner/studies/whatif/compare.h"

namespace cli {

struct Compared {
  const planner::LoadedScenario& loaded;
  const planner::Plan& plan;
};

/// `differences` are those of the two scenarios, in this order.
Report compare_report(const Compared& a, const Compared& b, const std::vector<planner::Difference>& differences);

}  // namespace cli
