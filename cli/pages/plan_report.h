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

/// "gpt3-175b on 512 x a100-sxm-80gb".
std::string scenario_title(const planner::Scenario& scenario);

/// The blocks of the text page (plan_text.cc).
std::vector<Block> plan_text(const planner::LoadedScenario& loaded, const planner::Plan& plan);

}  // namespace cli
