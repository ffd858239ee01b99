#include "cli/commands/sensitivity.h"

#include <fmt/format.h>

#include <cassert>

#include "dsl/write.h"
#include "planner/resolve/read.h"
#include "planner/studies/whatif/sensitivity.h"

namespace cli {
namespace {

using planner::Sensitivity;

/// The scenario of a plan that a search found.
planner::Scenario scenario_of(const planner::Found& found, const planner::OpenScenario& open, const Options& options,
                              Session& session) {
  std::vector<dsl::Override> overrides = set_overrides(options);
  const std::vector<std::string> names = planner::choice_names(open.space);
  for (size_t i = 0; i < names.size(); ++i) overrides.push_back({names[i] + "=" + dsl::write_value(found.choices[i])});
  dsl::Diagnostics again;  // told when the scenario was read with its choices open
  auto loaded = planner::read_scenario(session.sources.front(), overrides, session.catalog, session.sources, again);
  assert(loaded && "a candidate that was costed is a scenario");
  return std::move(loaded->scenario);
}

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

void add_sensitivity(const planner::SearchResult& result, const planner::OpenScenario& open, const Options& options,
                     Session& session, Report& report) {
  Data::List list;
  if (!result.plans.empty()) {
    const planner::Scenario best = scenario_of(result.plans.front(), open, options, session);
    const Table table = table_of(planner::sensitivities(best));
    for (size_t i = 0; i < table.rows.size(); ++i) list.push_back(row_object(table, i));
    report.text.emplace_back(rounded(table));
  }
  report.document.push_back({"sensitivity", std::move(list)});
}

}  // namespace cli
