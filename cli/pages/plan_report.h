// trainplan.plan/1 and the page that `trainplan plan` prints for people.
#pragma once

#include "cli/report/report.h"
#include "planner/plan/plan.h"
#include "planner/plan/stage_times.h"
#include "planner/studies/whatif/unwritten.h"

namespace cli {

/// Keys, order and nulls: docs/output.md.
/// `unwritten`: the defaults that change the plan most. `stages`: of the pipeline, if they are known. `loaded` and
/// `plan` outlive the report: its document is made where it is printed.
Report plan_report(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                   const std::vector<planner::Unwritten>& unwritten = {},
                   const std::vector<planner::StageUse>& stages = {});

/// The resolved scenario as JSON data: numbers and booleans as such, quantities, words and names as
/// strings. Saved as a file and planned again it gives the same bytes, `unwritten` aside: it writes all.
Data scenario_data(const dsl::Record& record);

}  // namespace cli
