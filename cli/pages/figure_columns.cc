#include "cli/pages/figure_columns.h"

#include "cli/pages/candidate_rows.h"

namespace cli {

Data figure_data(std::string_view name, const std::optional<planner::Results>& results) {
  if (!results) return {};
  const auto rows = planner::result_figures();
  const auto at = std::ranges::find(rows, name, [](const auto& row) { return std::string_view(row.key()); });
  return data_of(figure_cell(*at, *results));
}

}  // namespace cli
