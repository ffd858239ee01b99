// Runs execution traces of Chakra: nodes take their recorded times; the operator models price messages and collectives.
//
// A node begins when its predecessors are done. A send takes the time of its bytes between the two ranks, and the
// receive of the same tag is done with it (the k-th of a sender, a receiver and a tag is the k-th on both sides). The
// k-th collective of a rank is the k-th on every other: it is done a predicted time after the last rank has arrived.
#pragma once

#include <string>
#include <vector>

#include "planner/replay/site.h"
#include "planner/trace/execution.h"

namespace planner::replay {

struct Executed {
  std::vector<int64_t> ends_ns;    // by file, since all began
  size_t messages = 0;             // that were sent
  size_t untimed = 0, timed = 0;   // compute nodes without, and with, a duration in the trace
  std::vector<std::string> wrong;  // why there are no ends; empty: there are ends
};

/// Runs the files of all ranks, in order: the first is rank 0. Reported as wrong: a send without its receive or the
/// reverse, a peer that does not exist, ranks with different numbers of collectives, communication without price and
/// duration, nodes that wait for each other.
Executed execute(const std::vector<trace::Execution>& ranks, const Site& site);

}  // namespace planner::replay
