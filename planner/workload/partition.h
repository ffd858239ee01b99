// Layers of each part of the model: part k*pp + r is chunk k of stage r.
#pragma once

#include <vector>

#include "planner/scenario.h"

namespace planner {

/// The scenario's own `stages`, else even; where layers do not divide, embedding and head may
/// count as a layer each. Sums to the model's layers (a violation says if `stages` does not).
std::vector<int64_t> layers_per_part(const Scenario& s);

}  // namespace planner
