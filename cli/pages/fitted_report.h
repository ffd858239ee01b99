// A plan's use of models fitted to measurements: where they are used, and how far from their points.
#pragma once

#include "cli/report/report.h"
#include "planner/plan/plan.h"

namespace cli {

/// The member `fitted` of a plan: keys in docs/output.md.
Data fitted_data(const planner::Plan& plan);
/// Shows the formulas to people, and where they are used.
Table fitted_table(const planner::Plan& plan);

/// Warns of models used more than `scaling::kReach` times beyond their points: nothing supports the formula there.
void warn_of_reach(const planner::Plan& plan, dsl::Diagnostics& diagnostics);

}  // namespace cli
