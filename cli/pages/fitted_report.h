// What a plan says of models that were fitted to measurements: where they are asked, and how far from their points.
#pragma once

#include "cli/report/report.h"
#include "planner/plan/plan.h"

namespace cli {

/// The member `fitted` of a plan: keys in docs/output.md.
Data fitted_data(const planner::Plan& plan);
/// Shows people the formulas, and where they are asked.
Table fitted_table(const planner::Plan& plan);

/// Warns of models that are asked more than `scaling::kReach` times beyond their points: nothing speaks for the formula
/// there.
void warn_of_reach(const planner::Plan& plan, dsl::Diagnostics& diagnostics);

}  // namespace cli
