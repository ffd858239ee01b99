// What a search found, and the rows of a sweep.
#pragma once

#include "cli/report.h"
#include "planner/search/search.h"

namespace cli {

/// trainplan.search/1.
Report search_report(const planner::OpenScenario& open, const planner::SearchOptions& options,
                     const planner::SearchResult& result);

/// trainplan.sweep/1 without rows, and the cells of one: null where a candidate was not costed.
Report sweep_report();
std::vector<Data> sweep_cells(const std::vector<std::string>& names, const planner::Swept& swept);

}  // namespace cli
