// The events of a pipeline in the trace-event format (trace_events.h). One row (tid) per stage; F and B are forward and
// backward (recompute included) of a microbatch, with its chunk where stages are interleaved; W is the weight gradient
// of a schedule that runs it apart.
#pragma once

#include <string>

#include "planner/schedule/schedule.h"

namespace cli {

std::string trace_events(const planner::Timeline& timeline);

}  // namespace cli
