// How each stage of a pipeline spends its step: what explains a bubble.
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/schedule/schedule.h"

namespace planner {

/// Seconds of all microbatches, and of the whole pipeline when the stage does neither: it waits for others, or sends.
struct PlayedStage {
  double forward = 0, backward = 0, weight_gradient = 0, wait = 0;
};

/// Whether nothing but the order of sums sets them apart.
bool alike(const PlayedStage& a, const PlayedStage& b);

inline constexpr double kMostPlayed = 20'000;  // events of a pipeline, some milliseconds
/// Returns those of a scenario's pipeline; none after a layout violation, of a run of several sequence lengths, and
/// where the schedule has more than kMostPlayed events.
std::vector<PlayedStage> played_stages(const Scenario& scenario);

/// Returns a row per stage; of each, but for rounding, forward + backward + weight_gradient + wait is the timeline's
/// length.
std::vector<PlayedStage> played_times(const Timeline& timeline, int64_t stages);

}  // namespace planner
