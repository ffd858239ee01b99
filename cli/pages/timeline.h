// The events of a pipeline in the trace-event format that Perfetto and Chrome open:
//
//     {"displayTimeUnit": "ms", "traceEvents": [
//     {"name": "F0", "cat": "forward", "ph": "X", "ts": 0.000, "dur": 812.500, "pid": 0, "tid": 0, "args": {...}}, ...
//
// One row (tid) per stage; times in microseconds, as the format wants them; F and B are forward and backward
// (recompute included) of a microbatch, with its chunk where stages are interleaved; W is the weight gradient of a
// schedule that runs it apart.
#pragma once

#include <string>

#include "planner/schedule/schedule.h"

namespace cli {

std::string trace_events(const planner::Timeline& timeline);

}  // namespace cli
