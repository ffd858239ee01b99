// The pipeline of a plan played event by event, for display.
#pragma once

#include "planner/scenario/scenario.h"
#include "planner/schedule/schedule.h"

namespace planner {

/// The most events of a timeline that is shown: viewers take no more, and each holds some 500 bytes while it is made.
inline constexpr double kMostEvents = 1'000'000;
/// Returns how many events the timeline of a scenario has, without playing it; 0 after a layout violation.
double timeline_events(const Scenario& scenario);

/// The pipeline played event by event, for display; no events after a layout violation.
/// REQUIRES: timeline_events(scenario) <= kMostEvents.
Timeline make_timeline(const Scenario& scenario);

}  // namespace planner
