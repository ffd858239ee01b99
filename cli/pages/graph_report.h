// trainplan.ops-graph/1: what reads what in the blocks of a step, their critical paths, and what may run side by side.
#pragma once

#include "cli/report/report.h"
#include "planner/workload/cost.h"

namespace cli {

/// Returns the tables of the graph; the report makes the drawn one when a format asks. REQUIRES: `costed` outlives it.
Report graph_report(const planner::CostedWorkload& costed);

}  // namespace cli
