// The figures of a result in rows of a page's own: `clusters` and `roadmap` name the columns that they show, and have
// all others behind them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/report/report.h"
#include "planner/plan/results.h"

namespace cli {

/// A column of the rows. Without a function it is the figure of that name; with a heading the page shows it too.
template <class Row> struct RowColumn {
  const char* name;
  Unit unit;
  Data (*cell)(const Row&) = nullptr;
  const char* heading = "";
  int rank = 0;
};

/// Null without results. REQUIRES: the name is that of a column, or of a figure that has none.
Data figure_data(std::string_view name, const std::optional<planner::Results>& results);

/// The columns of a page, and behind them the figures that rows of many plans show and that it lacks.
template <class Row, size_t n>
std::vector<RowColumn<Row>> with_other_figures(const std::array<RowColumn<Row>, n>& own) {
  std::vector<RowColumn<Row>> all(own.begin(), own.end());
  for (const planner::ResultRow& row : planner::column_figures())
    if (!row.about.of_space &&
        std::ranges::find(own, std::string_view(row.about.column), &RowColumn<Row>::name) == own.end())
      all.push_back({row.about.column, row.about.unit});
  return all;
}

template <class Row> std::vector<Data> row_cells(const std::vector<RowColumn<Row>>& columns, const Row& row,
                                                 const std::optional<planner::Results>& results) {
  std::vector<Data> cells;
  for (const RowColumn<Row>& c : columns) cells.push_back(c.cell ? c.cell(row) : figure_data(c.name, results));
  return cells;
}

}  // namespace cli
