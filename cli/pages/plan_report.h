// trainplan.plan/1, and the page and the picture of a plan for people.
#pragma once

#include <string>
#include <vector>

#include "cli/report/row_fields.h"
#include "cli/svg/stacked_bars.h"
#include "planner/plan/goals.h"
#include "planner/plan/plan.h"
#include "planner/plan/stage_times.h"
#include "planner/studies/whatif/unwritten.h"

namespace cli {

/// ", 13.00 d over the deadline, 847 kUSD over the budget"; "": the run misses neither.
std::string miss_text(const planner::GoalMiss& miss);

/// "gpt3-175b on 512 x a100-sxm-80gb".
std::string scenario_title(const planner::Scenario& scenario);

/// Neighbouring stages of a pipeline that are alike: one row of a page.
template <class Stage> struct AlikeStages : Stage {
  size_t first = 0, last = 0;
  /// "3", "1-6".
  std::string name() const { return std::to_string(first) + (first == last ? "" : "-" + std::to_string(last)); }
};
template <class Stage, class Alike>
std::vector<AlikeStages<Stage>> stage_runs(const std::vector<Stage>& stages, Alike alike) {
  std::vector<AlikeStages<Stage>> runs;
  for (size_t i = 0; i < stages.size(); ++i)
    if (i > 0 && alike(stages[i], stages[runs.back().first])) runs.back().last = i;
    else runs.push_back({stages[i], i, i});
  return runs;
}

/// The rows of its tables: members of the JSON, columns of the page.
RowFields<planner::CommunicationRow> transfer_fields();
RowFields<AlikeStages<planner::StageUse>> stage_fields();
RowFields<AlikeStages<planner::StageMemory>> memory_fields();

/// The blocks of the page. `stages`: of the pipeline, if they are known.
std::vector<Block> plan_text(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                             const std::vector<planner::StageUse>& stages = {});

/// What the plan rests on. `unwritten`: the defaults that change it most.
std::vector<Block> plan_basis(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                              const std::vector<planner::Unwritten>& unwritten);

/// Keys, order and nulls: docs/output.md. `loaded` and `plan` outlive the report: its document is made where it is
/// printed.
Report plan_report(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                   const std::vector<planner::Unwritten>& unwritten = {},
                   const std::vector<planner::StageUse>& stages = {});

/// A bar for each stage; equal neighbours share one. Shares of the pipeline's time by part, and below them of the
/// available memory. `times` may be empty. There are no bars if the layout does not work.
svg::StackedBars plan_bars(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                           const std::vector<planner::StageUse>& times);

}  // namespace cli
