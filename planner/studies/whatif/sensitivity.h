// The sensitivity of a plan to its machine: elasticities of its step and its cost.
//
//     e(x) = ln(T(1.1 x) / T(x)) / ln 1.1        -1: twice as much of x halves T; 0: x has no effect
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

struct Sensitivity {
  std::string field;  // path; `cluster.gpu.flops` covers the peaks of all precisions
  double step_elasticity = 0;
  std::optional<double> usd_elasticity;     // null without dollars
  std::optional<double> headroom_fraction;  // of a capacity: the share that it may lose before the plan does not fit
};

/// Returns a row for peaks, memory and its bandwidth, every tier of the network, prices that are given, and the link to
/// the host where something is offloaded. The layout stays. REQUIRES: no layout violation.
std::vector<Sensitivity> sensitivities(const Scenario& scenario);

}  // namespace planner
