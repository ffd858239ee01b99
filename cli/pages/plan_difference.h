// Two plans side by side, for `compare` and for --explain: where the step goes, and what each difference is worth.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/report/report.h"
#include "planner/plan/plan.h"
#include "planner/studies/whatif/compare.h"

namespace cli {

struct ComparedPlan {
  std::string name;  // "A", "plan 1"
  const planner::LoadedScenario& loaded;
  const planner::Plan& plan;
};

/// B less A; null where either has no such dollars. REQUIRES: both have a step.
double seconds_between(const ComparedPlan& a, const ComparedPlan& b);
std::optional<double> usd_between(const ComparedPlan& a, const ComparedPlan& b);

/// "123.4 ms per step (1.2 %), 3.2 kUSD for the run". `share`: of the step of A.
std::string difference_text(const ComparedPlan& a, const ComparedPlan& b, double share);
/// The parts of both steps, and their ends in seconds.
Table parts_table(const ComparedPlan& a, const ComparedPlan& b, double step_of_a, double step_of_b);
/// A row for each difference, and one for all together.
Table worths_table(const ComparedPlan& a, const ComparedPlan& b, const std::vector<planner::Difference>& differences);

}  // namespace cli
