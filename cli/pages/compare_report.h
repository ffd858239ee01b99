// Two plans side by side, for `compare` and for --explain: where the step goes, what each difference is worth, and what
// would change their order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/report/report.h"
#include "cli/svg/stacked_bars.h"
#include "planner/plan/plan.h"
#include "planner/studies/whatif/compare.h"
#include "planner/studies/whatif/crossover.h"

namespace cli {

struct ComparedPlan {
  std::string name;  // "A", "plan 1"
  const planner::LoadedScenario& loaded;
  const planner::Plan& plan;
};

/// trainplan.compare/1. `differences` are those of the two scenarios, in this order.
Report compare_report(const ComparedPlan& a, const ComparedPlan& b,
                      const std::vector<planner::Difference>& differences);

/// From the step of A to that of B, with a bar for each difference. Increases come before decreases, each sorted by
/// size, so that no bar begins below zero.
svg::StackedBars compare_waterfall(const ComparedPlan& a, const ComparedPlan& b,
                                   const std::vector<planner::Difference>& differences);

/// A row of a search, planned on its own.
struct PlannedRow {
  size_t rank = 0;   // from 1; 0: not a row, but the run that a search starts from, or a layout in question
  std::string name;  // "plan 1", "the run", "tp=8,pp=4"
  planner::LoadedScenario loaded;
  planner::Plan plan;
};

struct Explained {
  PlannedRow a, b;
  std::vector<planner::Difference> differences;
  std::vector<planner::Crossover> crossovers;
};

/// Adds the member `explain` and its part of the page; null where there is nothing to hold against each other.
void add_explanation(const std::optional<Explained>& explained, Report& report);

}  // namespace cli
