// trainplan.ops-graph/1: the edges in the blocks of a step, their critical paths, and operators that may run in
// parallel.
#pragma once

#include "cli/report/report.h"
#include "planner/workload/cost.h"

namespace cli {

/// Returns the tables of the graph; the report draws the graph on request of a format. REQUIRES: `costed` outlives it.
Report graph_report(const planner::CostedWorkload& costed);

}  // namespace cli
