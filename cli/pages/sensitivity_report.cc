#include "cli/pages/sensitivity_report.h"

#include <fmt/format.h>

namespace cli {
namespace {

using planner::Sensitivity;

Table table_of(const std::vector<Sensitivity>& rows) {
  Table table{.title = "What the best plan depends on (per 1 % more of it)",
              .columns = {{.name = "field"},
                          {.name = "step_elasticity", .unit = Unit::number, .heading = "step, %"},
                          {.name = "usd_elasticity", .unit = Unit::number, .heading = "cost, %"},
                          {.name = "headroom_fraction", .unit = Unit::fraction, .heading = "may shrink by"}}};
  for (const Sensitivity& row : rows)
    table.rows.push_back({row.field, row.step_elasticity, row.usd_elasticity, row.headroom_fraction});
  return table;
}

/// Three decimals are enough to read, and tell what does not matter from what matters little.
Table rounded(Table table) {
  for (std::vector<Data>& row : table.rows)
    for (size_t i : {1, 2})
      if (const auto x = row[i].number()) row[i] = fmt::format("{:+.3f}", *x);
  return table;
}

}  // namespace

void add_sensitivity(const std::vector<Sensitivity>& rows, Report& report) {
  const Table table = table_of(rows);
  report.document.push_back({"sensitivity", rows_of(table)});
  if (!rows.empty()) report.text.emplace_back(rounded(table));
}

}  // namespace cli
