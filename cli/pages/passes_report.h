// What passes do to a run that was measured, as the first part of `tune`'s report of traces.
#pragma once

#include "cli/report/report.h"
#include "planner/tuning/trace_tuner.h"

namespace cli {

/// Puts it in front of what a report says already: step and memory before and after, each pass by itself, what a budget
/// left to choose from, and what was decided. `strategies`: may be without a table.
Report with_passes(const planner::tuning::TunedTrace& tuned, const planner::tuning::TraceMemory& memory,
                   Report strategies);

/// What nothing fits: the way that needs the least memory.
std::string nearest_text(const planner::tuning::TunedTrace& tuned);

}  // namespace cli
