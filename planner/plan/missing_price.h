// Why a run has no price, and how to give it one.
#pragma once

#include <string>

#include "planner/scenario/scenario.h"

namespace planner {

/// Returns the missing part of a run's price, "hgx-h20 has no price: ..." or "the run has no price: give job.tokens";
/// "" if it has a price.
std::string missing_price(const Scenario& scenario);

}  // namespace planner
