// The plan of a run whose steps differ in sequence length (`Scenario::lengths`): that of its mean step.
//
//     t = sum of w_k t_k / sum of w_k over the lengths k          Pati 2024, equation 3.1, normalised by the weights
//
// Seconds, FLOP and calls of a step are means by weight; rates and shares of time are means by weight and time. The
// memory is that of the length that needs most of it. Errors of one kind of operator point the same way at all lengths
// (uncertainty.h).
#pragma once

#include <span>
#include <vector>

#include "planner/plan/plan_figures.h"

namespace planner {

/// Returns the mean of the lengths' figures, weighted by each length's share of the steps. REQUIRES: one figure for
/// each share of the scenario, in order.
PlanFigures mean_figures(const Scenario& scenario, std::span<const PlanFigures> figures);

/// Returns a lower bound of the mean figures, given lower bounds of the steps with unknown parts. Rounding of sums may
/// make a step shorter than the mean of its lengths' parts. REQUIRES: as above.
PlanFigures least_mean_figures(const Scenario& scenario, std::span<PlanFigures> least);

/// Returns the number of the share whose memory is fullest.
size_t fullest(std::span<const PlanFigures> figures);

/// Returns the mean of whole plans, with their rows and sources. REQUIRES: each has figures.
Plan mean_plan(const Scenario& scenario, const std::vector<Plan>& plans);

}  // namespace planner
