#include "cli/pages/figure_columns.h"

#include <algorithm>

#include "cli/pages/candidate_rows.h"

namespace cli {

const planner::ResultRow& figure_named(std::string_view name) {
  return *std::ranges::find(planner::result_figures(), name, &planner::ResultRow::key);
}

Data figure_data(const planner::ResultRow& figure, const std::optional<planner::Results>& results) {
  return results ? data_of(figure_cell(figure, *results)) : Data();
}

}  // namespace cli
