// trainplan.ops/1: the operators of a step, each or summed by a column.
#pragma once

#include "cli/report.h"
#include "planner/plan.h"

namespace cli {

/// One row per operator, in step order.
Report ops_report(const std::vector<planner::OperatorRow>& rows);

/// One row per value of `key` (phase, layer, sublayer, kind, class, bound, model, provenance), in order of
/// first appearance; figures are per step: calls x figure of one call, summed. The shares sum to 1.
/// REQUIRES: `key` is one of those.
Report ops_grouped(const std::vector<planner::OperatorRow>& rows, const std::string& key);

}  // namespace cli
