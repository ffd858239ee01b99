// The pipeline of a plan played event by event, for display.
#pragma once

#include "planner/scenario/scenario.h"
#include "planner/schedule/schedule.h"

namespace planner {

/// The pipeline played event by event, for display; no events after a layout violation.
Timeline make_timeline(const Scenario& scenario);

}  // namespace planner
