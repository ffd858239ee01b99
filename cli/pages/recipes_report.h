// trainplan.recipes/1: published layouts beside what a search finds in their place.
#pragma once

#include <vector>

#include "cli/report/report.h"
#include "planner/studies/recipes/recipes.h"

namespace cli {

/// Keys and order: docs/output.md.
Report recipes_report(const std::vector<planner::RecipeScore>& scores);

}  // namespace cli
