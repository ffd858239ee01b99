// One of a scenario's several sequence lengths.
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// Returns the scenario at one of its lengths, and at that alone.
Scenario at_length(const Scenario& scenario, const LengthShare& share);

/// Returns the share of the steps that each of its lengths has; they sum to 1.
std::vector<double> length_shares(const Scenario& scenario);

}  // namespace planner
