// The page of a plan for people.
#pragma once

#include <vector>

#include "cli/report/report.h"
#include "planner/plan/plan.h"
#include "planner/plan/stage_times.h"
#include "planner/studies/whatif/unwritten.h"

namespace cli {

/// "gpt3-175b on 512 x a100-sxm-80gb".
std::string scenario_title(const planner::Scenario& scenario);

/// Equal stages [first, last], as named on a page: "3", "1-6".
std::string stages_name(size_t first, size_t last);

/// The blocks of the page.
std::vector<Block> plan_text(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                             const std::vector<planner::Unwritten>& unwritten = {},
                             const std::vector<planner::StageUse>& stages = {});

}  // namespace cli
