// The picture of a plan: how each stage of the pipeline spends its time, and what fills its memory.
#pragma once

#include <vector>

#include "cli/svg/stacked_bars.h"
#include "planner/plan/plan.h"
#include "planner/plan/stage_times.h"

namespace cli {

/// A bar for each stage, neighbours that are alike in one: shares of the pipeline's time, and below them of the memory
/// that there is. `times` may be empty. The plan has no bars where its layout does not work.
svg::StackedBars plan_bars(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                           const std::vector<planner::StageUse>& times);

}  // namespace cli
