// How long an iteration of a run took, from the steps that its profiler marked.
#pragma once

#include <string>

#include "planner/trace/trace.h"

namespace planner::trace {

struct StepTime {
  double seconds = 0;
  size_t steps = 0;   // that each rank marks
  std::string wrong;  // why there is no time; "": there is one
};

/// Returns the mean over ranks and steps from the begin of a step on the host to the begin of the next. A last step has
/// none behind it and is not counted, but where it is the only one: then it is its own time on the host. Wrong: a rank
/// without events or marked steps, ranks that mark different numbers of steps, steps
/// that take no time.
StepTime step_time_of(const Trace& trace);

}  // namespace planner::trace
