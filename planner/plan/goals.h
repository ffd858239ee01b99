// `where`, deadline and budget of a plan.
#pragma once

#include "planner/plan/plan.h"

namespace planner {

/// Adds violations of `where`, deadline and budget.
void check_goals(Plan& plan, const LoadedScenario& loaded, dsl::Diagnostics& diagnostics);

}  // namespace planner
