// Where the time of a plan goes against another one, and what would change their order.
#pragma once

#include <optional>
#include <vector>

#include "cli/report/report.h"
#include "planner/plan/plan.h"
#include "planner/studies/whatif/compare.h"
#include "planner/studies/whatif/crossover.h"

namespace cli {

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
