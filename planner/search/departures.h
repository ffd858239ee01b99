// How far a layout departs from common practice. If the models cannot distinguish plans, the most usual one is shown
// first (rank_plans.h): errors of the models favour unusual layouts.
// The first departure in which two layouts differ decides: doublings of context parallelism; doublings of nodes that an
// exchange of experts spans; the share of the memory beyond 0.65. Recipes that vendors tuned fill 62 % of the memory on
// average (docs/accuracy/layouts.md, "Layouts that vendors tuned").
#pragma once

#include <array>

#include "planner/plan/results.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// One number for each of these, none below 0: the smaller in this order, the more usual.
inline constexpr std::array kDepartureNames{"context parallelism", "nodes of an exchange of experts", "memory"};
using Departures = std::array<double, kDepartureNames.size()>;

Departures departures_of(const Scenario& scenario, const Results& results);
/// Returns the departures from the memory alone: no layout with these results, or with more memory, is more usual.
Departures least_departures(const Results& results);

}  // namespace planner
