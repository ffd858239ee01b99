// trainplan.ops-graph/1: what reads what in the blocks of a step, their critical paths, and what may run side by side;
// and the step as text (`--dump`).
#pragma once

#include "cli/input.h"
#include "planner/workload/cost.h"

namespace cli {

/// Whether `ops` is asked for the graph or for text in place of its table.
bool asks_graph(const Options& options);
/// "" or which of --graph, --dump and --format dot does not go with another flag.
std::string wrong_graph(const Options& options);

Report graph_report(const planner::CostedWorkload& costed);
/// REQUIRES: asks_graph; no layout violation.
int print_graph(const planner::Scenario& scenario, const Options& options, Streams& streams);

}  // namespace cli
