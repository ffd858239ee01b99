// A profile of several processes, as a launcher of a whole node starts them, as the events of a rank each.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace {

/// Returns the events of each of `processes`, as files "NAME (process 7)"; those of other processes are in none.
/// `process_of`: by event. What was wrong with the file stays with the first.
std::vector<RankTrace> split_processes(RankTrace trace, const std::vector<int64_t>& process_of,
                                       const std::set<int64_t>& processes);

}  // namespace planner::trace
