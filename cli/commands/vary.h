// `plan --vary price=0.8,tokens=1.2`: what changes make of days and dollars, each alone and all together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/common.h"
#include "cli/report/report.h"
#include "planner/plan/plan.h"

namespace cli {

struct VariedPlan {
  std::string change;                             // "price=0.8"; "none": the plan itself
  std::optional<double> step_seconds, days, usd;  // absent: the layout does not work
  std::string missed;                             // what the layout breaks; "": nothing
};

/// Returns the plan, then that of each change, then that of all where there are several. A change is NAME=FACTOR, or
/// NAME=FIGURE with a unit: price, tokens and failures, or the path of any number of the scenario. `cluster`: of the
/// plan. Empty: diagnosed. REQUIRES: as of `reread`.
std::vector<VariedPlan> varied_plans(const std::vector<std::string>& changes, const planner::Plan& plan,
                                     const hw_profiles::Cluster& cluster, const ScenarioFlags& flags, Session& session);

/// Adds the member `varied` and its table.
void add_varied(const std::vector<VariedPlan>& rows, Report& report);

}  // namespace cli
