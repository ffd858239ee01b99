// From a trace to the graph of what waited for what.
//
// Of a rank: calls of a thread in their order; a launch and what it launched; a stream's work in its order; a stream
// that waits for an event of another (`cudaStreamWaitEvent`); a host that waits for its device
// (`cudaStreamSynchronize`, copies that return when they are done); a thread that hands over to another and waits for
// it, as a backward pass does. Between ranks: a collective ends when the last has arrived and the transfer is over, and
// a PULL when the last worker's PUSH has ended and its own transfer is over.
//
// What a trace does not say is inferred from the order of calls, and dropped where the measured times contradict it.
// The host's time between two calls, and what a device takes from a launch to its begin, are lags of edges.
#pragma once

#include "planner/replay/replayed.h"

namespace planner::replay {

/// Builds the graph of a trace. `steps`, `matched`: what `trace/` makes of it.
Replayed build_graph(const trace::Trace& trace, const trace::RankSteps& steps, const trace::Matched& matched);

}  // namespace planner::replay
