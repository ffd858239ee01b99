// The operators of a step as a picture: the roofline, or the bars of --group.
#pragma once

#include "cli/svg/picture.h"
#include "planner/plan/ops.h"

namespace cli {

/// Every operator below the roofs of the scenario's GPU, coloured by its class. `rows`: operator_rows(scenario).
svg::Roofline ops_roofline(const planner::Scenario& scenario, const std::vector<planner::OperatorRow>& rows);

/// A bar for each value of `keys`, as ops_grouped sums it, of its classes' shares of the operators' time; the longest
/// first. REQUIRES: `keys` as in ops_grouped.
svg::StackedBars ops_bars(const planner::Scenario& scenario, const std::vector<planner::OperatorRow>& rows,
                          const std::vector<std::string>& keys);

}  // namespace cli
