// Checks that no single field of a scenario can do: names of models, kernels and schedules, prices, calibrations.
#pragma once

#include "planner/scenario/scenario.h"

namespace planner {

/// Checks what no single field can check (models, kernels, prices that exclude each other), and reads the fitted models
/// that the scenario names.
void check_scenario(const dsl::Record& record, Scenario& scenario, dsl::Sources& sources,
                    dsl::Diagnostics& diagnostics);

/// Checks an open scenario in the same way, for every value that a choice of names holds.
void check_open_scenario(OpenScenario& open, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
