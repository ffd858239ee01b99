// Why a run has no price, and what gives it one.
#pragma once

#include <string>

#include "planner/scenario/scenario.h"

namespace planner {

/// Returns what a run lacks to have a price, "hgx-h20 has no price: ..." or "the run has no price: give
/// job.tokens"; "" where it has one.
std::string missing_price(const Scenario& scenario);

}  // namespace planner
