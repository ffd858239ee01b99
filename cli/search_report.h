// What a search found, and the rows of a sweep.
#pragma once

#include "cli/report.h"
#include "planner/search/search.h"

namespace cli {

/// trainplan.search/1.
Report search_report(const planner::OpenScenario& open, const planner::SearchOptions& options,
                     const planner::SearchResult& result);

/// The columns of a feasible candidate: those of search's rows but `rank` and `tied_with`.
std::vector<Column> found_columns();
/// Cells in that order; null where a candidate was not costed.
std::vector<Data> found_cells(const std::optional<planner::Found>& found);
/// {path: value} of the choices, as --set would write them.
Data choices_data(const std::vector<std::string>& names, const std::vector<dsl::Value>& values);

}  // namespace cli
