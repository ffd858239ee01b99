#include <fmt/format.h>

#include "cli/pages/search_report.h"
#include "cli/report/row_fields.h"

namespace cli {
namespace {

using planner::Sensitivity;

Table table_of(const std::vector<Sensitivity>& rows) {
  const RowFields<Sensitivity> fields{
      {"field", &Sensitivity::field},
      {"step_elasticity", &Sensitivity::step_elasticity, Unit::number, "step, %"},
      {"usd_elasticity", &Sensitivity::usd_elasticity, Unit::number, "cost, %"},
      {"headroom_fraction", &Sensitivity::headroom_fraction, Unit::fraction, "may shrink by"},
  };
  return fields.table(rows, "What the best plan depends on (per 1 % more of it)");
}

/// Three decimals are readable, and distinguish no effect from a small effect.
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
