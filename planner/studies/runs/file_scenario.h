// A measured run that its table names as a file: the scenario as a user wrote it.
#pragma once

#include <vector>

#include "planner/studies/runs/predict.h"

namespace planner {

/// A scenario with choices, or whose layout is left to a search, is its best plan: nobody published the layout.
/// REQUIRES: `config.scenario` is its text.
RunScenario file_scenario(const RunConfig& config, const dsl::Catalog& catalog,
                          const std::vector<dsl::Override>& overrides);

}  // namespace planner
