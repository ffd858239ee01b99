// `where`, deadline and budget of a plan.
#pragma once

#include "planner/plan/plan.h"

namespace planner {

/// Adds violations of `where`, deadline and budget.
void check_goals(Plan& plan, const LoadedScenario& loaded, dsl::Diagnostics& diagnostics);
/// Returns the plan with its goals; what is wrong with them is told elsewhere.
Plan plan_with_goals(const LoadedScenario& loaded);

}  // namespace planner
