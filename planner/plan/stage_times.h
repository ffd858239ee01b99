// The time of each stage of a pipeline by part: it explains a bubble.
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/schedule/schedule.h"

namespace planner {

/// Seconds of all microbatches, and of the whole pipeline when the stage does neither: it waits for others, or sends.
struct StageUse {
  double forward = 0, backward = 0, weight_gradient = 0, wait = 0;
};

/// Whether nothing but the order of sums sets them apart.
bool alike(const StageUse& a, const StageUse& b);

/// Returns those of a scenario's pipeline, in the step of its plan. Empty after a layout violation, and for a run of
/// several sequence lengths.
std::vector<StageUse> stage_uses(const Scenario& scenario);

/// Returns a row per stage; of each, but for rounding, forward + backward + weight_gradient + wait is the time that the
/// schedule takes.
std::vector<StageUse> stage_uses(const ScheduleRow& schedule, const PipelineProfile& profile,
                                 const PipelineTraffic& traffic);

}  // namespace planner
