// trainplan.plan/1 and the page that `trainplan plan` prints for people.
#pragma once

#include "cli/report/report.h"
#include "planner/plan/plan.h"

namespace cli {

/// Keys, order and nulls: docs/output.md.
Report plan_report(const planner::LoadedScenario& loaded, const planner::Plan& plan);

/// The resolved scenario as JSON data: numbers and booleans as such, quantities, words and names as
/// strings. Saved as a file and planned again it gives the same bytes.
Data scenario_data(const dsl::Record& record);

}  // namespace cli
