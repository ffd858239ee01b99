// A collective in the graph: its ranks wait for each other.
#pragma once

#include "planner/replay/build.h"

namespace planner::replay {

/// Joins the ranks of a collective: it goes on when all have arrived. Each rank's kernel ends as long after that as it
/// did. A PULL can be answered from then on, and ends as long as it did after that or its own begin.
/// REQUIRES: the graphs of all ranks are there.
void join_ranks(const trace::Trace& trace, const trace::Matched& matched, size_t number, Replayed& made);

}  // namespace planner::replay
