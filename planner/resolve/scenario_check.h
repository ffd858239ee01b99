// What no field of a scenario alone can say: names of models, kernels and schedules, prices, calibrations.
#pragma once

#include "planner/scenario/scenario.h"

namespace planner {

/// Reads the fitted models that it names, too.
void check_scenario(const dsl::Record& record, Scenario& scenario, dsl::Sources& sources,
                    dsl::Diagnostics& diagnostics);

/// The same of every value that a choice of names holds.
void check_open_scenario(OpenScenario& open, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
