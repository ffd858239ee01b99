// The parameters on which the best plan of a search depends.
#pragma once

#include <vector>

#include "cli/report/report.h"
#include "planner/studies/whatif/sensitivity.h"

namespace cli {

/// Adds the member `sensitivity` and, where there are rows, its block of the page.
void add_sensitivity(const std::vector<planner::Sensitivity>& rows, Report& report);

}  // namespace cli
