// The report of a search in which nothing is feasible.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/report.h"
#include "planner/studies/whatif/nearest.h"
#include "planner/studies/whatif/obstacles.h"

namespace cli {

/// The candidate that is least beyond a limit.
struct Nearest {
  std::vector<std::pair<std::string, dsl::Value>> choices;  // by path
  double excess = 0;                                        // share of a limit; infinite if it cannot be computed
  planner::NearestMiss miss;
};

/// Adds the members `nearest` and `obstacles` and their part of the page.
void add_nearest(const std::optional<Nearest>& found, const std::vector<planner::Obstacle>& obstacles, Report& report);

}  // namespace cli
