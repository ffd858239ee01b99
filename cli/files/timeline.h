// The events of a pipeline in the trace-event format (trace_events.h). One row (tid) per stage; F and B are forward and
// backward (recompute included) of a microbatch, with its chunk where stages are interleaved; W is the weight gradient
// of a schedule that runs it apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/schedule/schedule.h"

namespace cli {

/// All stages, as threads of one process.
std::string trace_events(const planner::Timeline& timeline);

/// A process for each of these ranks, of its number, with the events of the stage that it belongs to as its thread.
/// REQUIRES: the timeline is the scenario's, which has these ranks.
std::string trace_events(const planner::Timeline& timeline, const planner::Scenario& scenario,
                         const std::vector<int64_t>& ranks);

}  // namespace cli
