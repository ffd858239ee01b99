#include "cli/pages/candidate_rows.h"

#include <algorithm>

namespace cli {
namespace {

std::string candidate_column(const std::string& name) {
  std::string found = name;
  each_member(planner::Parallelism{}, [&](const char* member, const Cell&) {
    if (name == member) found = "parallelism." + name;
  });
  return found;
}

}  // namespace

Cell figure_cell(const planner::ResultRow& row, const planner::Results& results) {
  const std::optional<double> figure = row.figure(results);
  if (figure && row.kind == planner::ResultRow::Kind::count) return static_cast<int64_t>(*figure);
  return cell_of(figure);
}

const planner::ResultRow& figure_named(std::string_view name) {
  return *std::ranges::find(planner::result_figures(), name, &planner::ResultRow::key);
}

void name_candidate_columns(std::vector<std::string>& columns, std::string& sort) {
  for (std::string& column : columns) column = candidate_column(column);
  const size_t colon = std::min(sort.find(':'), sort.size());
  sort = candidate_column(sort.substr(0, colon)) + sort.substr(colon);
}

}  // namespace cli
