// trainplan.ops/1: the operators of a step, each or summed by a column.
#pragma once

#include "cli/report/report.h"
#include "cli/svg/picture.h"
#include "planner/plan/ops.h"

namespace cli {

/// One row per operator, in step order.
Report ops_report(const std::vector<planner::OperatorRow>& rows);

/// "gpt3-175b on 512 x a100-sxm-80gb: 43 operators take 36.89 s of a GPU".
std::string ops_title(const planner::Scenario& scenario, const std::vector<planner::OperatorRow>& rows);

/// The values of the columns `keys` (as in ops_grouped) in a row.
std::vector<std::string> group_values(const planner::OperatorRow& row, const std::vector<std::string>& keys);

/// One row per combination of values of `keys` (phase, layer, sublayer, kind, class, part, bound, model, provenance),
/// in order of first appearance, the outer key first; figures are per step: calls x figure of one call, summed. The
/// shares sum to 1. REQUIRES: one key or more, each one of those.
Report ops_grouped(const std::vector<planner::OperatorRow>& rows, const std::vector<std::string>& keys);

/// Every operator below the roofs of the scenario's GPU, coloured by its class. `rows`: operator_rows(scenario).
svg::Roofline ops_roofline(const planner::Scenario& scenario, const std::vector<planner::OperatorRow>& rows);

/// A bar for each value of `keys`, as ops_grouped sums it, of its classes' shares of the operators' time; the longest
/// first. REQUIRES: `keys` as in ops_grouped.
svg::StackedBars ops_bars(const planner::Scenario& scenario, const std::vector<planner::OperatorRow>& rows,
                          const std::vector<std::string>& keys);

}  // namespace cli
