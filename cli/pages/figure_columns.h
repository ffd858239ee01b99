// The figures of a result in rows of a page's own: `clusters` and `roadmap` name the columns that they show, and have
// all others behind them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/report/row_fields.h"
#include "planner/plan/results.h"

namespace cli {

/// REQUIRES: there is a figure of that name.
const planner::ResultRow& figure_named(std::string_view name);
/// Null without results.
Data figure_data(const planner::ResultRow& figure, const std::optional<planner::Results>& results);

/// The figure of that name. `results`: of a row, std::optional. REQUIRES: there is one.
template <class Row, class Of> RowField<Row> figure_field(const char* name, Of results,
                                                          std::optional<std::string> heading = std::nullopt,
                                                          int rank = 0) {
  const planner::ResultRow& figure = figure_named(name);
  const auto value = [&figure, results](const Row& row) { return figure_data(figure, std::invoke(results, row)); };
  return {name, value, figure.about.unit, std::move(heading), rank};
}

/// The fields of a page, and behind them the figures that rows of many plans show and that it lacks.
template <class Row, class Of> RowFields<Row> with_other_figures(RowFields<Row> fields, Of results) {
  for (const planner::ResultRow& figure : planner::column_figures())
    if (!figure.about.of_space && !fields.has(figure.about.column))
      fields.add(figure_field<Row>(figure.about.column, results));
  return fields;
}

}  // namespace cli
