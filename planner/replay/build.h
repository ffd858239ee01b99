// Builds the dependency graph of a trace: which event waited for which.
//
// Edges of a rank: calls of a thread in order; a launch and the work it launched; a stream's work in order; a stream
// that waits for an event of another (`cudaStreamWaitEvent`); a host that waits for its device
// (`cudaStreamSynchronize`, blocking copies); a thread that hands over to another and waits for it, as a backward pass
// does.
// Edges between ranks: a collective ends when the last rank has arrived and the transfer is over. A PULL ends when the
// last worker's PUSH has ended and its own transfer is over.
//
// Dependencies that the trace lacks are inferred from the order of calls, and dropped where measured times contradict
// them. The host's time between two calls, and the time from a launch to the kernel's begin, are lags of edges.
#pragma once

#include "planner/replay/replayed.h"

namespace planner::replay {

/// Builds the graph of a trace. `steps`, `matched`: what `trace/` makes of it.
Replayed build_graph(const trace::Trace& trace, const trace::RankSteps& steps, const trace::Matched& matched);

}  // namespace planner::replay
