// A lower bound of a pipeline's time, without playing it: a search checks it before it computes the exact time.
#pragma once

#include "planner/schedule/schedule.h"

namespace planner {

/// Returns a lower bound of `row.time_profile(profile, traffic).seconds`: as computed, rounding and skipped periods
/// included. It is the exact time, or the longest of a few paths (docs/models-schedule.md, "What a pipeline takes at
/// least"); it costs as much as the profile has runs, squared, and does not depend on the microbatches.
double least_makespan_seconds(const ScheduleRow& row, const PipelineProfile& profile, const PipelineTraffic& traffic);

}  // namespace planner
