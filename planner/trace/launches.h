// Which call launched what a device did.
#pragma once

#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace {

/// Returns what `RankTrace::launched_by` is: for each event of a device the number of the call that launched it, by
/// correlation; kNone: no call of the trace did, and of all other events.
std::vector<uint32_t> launches_of(const RankTrace& rank);

/// Returns when an event was launched; of one that no call of the trace launched, when it began.
int64_t launched_ns(const RankTrace& rank, size_t event);

}  // namespace planner::trace
