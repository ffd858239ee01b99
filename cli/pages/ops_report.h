// trainplan.ops/1: the operators of a step, each or summed by a column.
#pragma once

#include "cli/report/report.h"
#include "planner/plan/ops.h"

namespace cli {

/// One row per operator, in step order.
Report ops_report(const std::vector<planner::OperatorRow>& rows);

/// The values of the columns `keys` (as in ops_grouped) in a row.
std::vector<std::string> group_values(const planner::OperatorRow& row, const std::vector<std::string>& keys);

/// One row per combination of values of `keys` (phase, layer, sublayer, kind, class, part, bound, model, provenance),
/// in order of first appearance, the outer key first; figures are per step: calls x figure of one call, summed. The
/// shares sum to 1. REQUIRES: one key or more, each one of those.
Report ops_grouped(const std::vector<planner::OperatorRow>& rows, const std::vector<std::string>& keys);

}  // namespace cli
