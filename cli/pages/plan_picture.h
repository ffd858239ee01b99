// The picture of a plan: the time of each stage of the pipeline by part, and the contents of its memory.
#pragma once

#include <vector>

#include "cli/svg/stacked_bars.h"
#include "planner/plan/plan.h"
#include "planner/plan/stage_times.h"

namespace cli {

/// A bar for each stage; equal neighbours share one. Shares of the pipeline's time, and below them of the available
/// memory. `times` may be empty. There are no bars if the layout does not work.
svg::StackedBars plan_bars(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                           const std::vector<planner::StageUse>& times);

}  // namespace cli
