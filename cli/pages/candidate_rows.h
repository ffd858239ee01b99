// The columns of a row of a search and of a sweep, each defined once. Headings, cells and lines of JSON are made by the
// `use` that visits them.
//
//     use.cell(name, unit, cell)    use.object(name, is_there, each)    use.list(name, items)
//
// An object that a row lacks is null; the members that `each` gives then have no values but their names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report/row_fields.h"
#include "planner/search/sweep.h"

namespace cli {

/// Calls `use` with a choice's value as JSON has it: numbers and flags as such, a quantity as a text with its unit.
template <class Use> void with_cell(const dsl::Value& value, Use use) {
  if (value.is_null()) return use(Cell());
  if (const auto* number = std::get_if<dsl::Number>(&value.v); number && number->dim == dsl::kNone)
    return use(whole_cell(number->value));
  if (const auto* flag = std::get_if<bool>(&value.v)) return use(Cell(*flag));
  if (const auto* word = std::get_if<std::string>(&value.v)) return use(Cell(*word));
  const std::string text = dsl::to_text(value);
  use(Cell(text));
}

Cell figure_cell(const planner::ResultRow& row, const planner::Results& results);

/// The layout of a plan: `use` gets the name and the value of each member.
template <class Use> void each_member(const planner::Parallelism& p, Use use) {
  for (const planner::Degree& degree : planner::degrees()) use(degree.name, Cell(p.*degree.value));
  use("interleave", Cell(p.interleave));
  use("microbatch", Cell(p.microbatch));
  use("sequence_parallel", Cell(p.sequence_parallel));
  use("zero", Cell(p.zero));
  use("zero_group", Cell(p.zero_group));
  use("recompute", Cell(planner::kRecomputeNames[static_cast<size_t>(p.recompute)]));
  use("order", Cell(p.order));
}

/// Null: the candidate is not costed, and neither are its cells.
template <class Use> void use_outcome(const planner::Outcome* outcome, Use& use) {
  use.object("parallelism", outcome != nullptr, [&](const auto& member) {
    if (outcome) each_member(outcome->parallelism, member);
    else each_member(planner::Parallelism{}, member);
  });
  use.cell("global_batch", Unit::count, outcome ? Cell(outcome->global_batch) : Cell());
  use.cell("microbatches", Unit::count, outcome ? Cell(outcome->microbatches) : Cell());
  for (const planner::ResultRow& row : planner::column_figures())
    use.cell(row.about.column, row.about.unit, outcome ? figure_cell(row, outcome->results) : Cell());
}

template <class Use>
void use_choices(const std::vector<std::string>& names, const std::vector<dsl::Value>& values, Use& use) {
  use.object("choices", true, [&](const auto& member) {
    for (size_t i = 0; i < values.size(); ++i)
      with_cell(values[i], [&](const Cell& cell) { member(names[i].c_str(), cell); });
  });
}

/// A row of a search; `rank` from 1.
template <class Use>
void use_plan(size_t rank, const std::vector<std::string>& names, const planner::Found& found, Use& use) {
  use.cell("rank", Unit::count, static_cast<int64_t>(rank));
  use.cell("tied", Unit::count, found.tied > 0 ? Cell(static_cast<int64_t>(found.tied)) : Cell());
  use_choices(names, found.choices, use);
  use_outcome(&found, use);
}

/// A row of a sweep.
template <class Use> void use_swept(const std::vector<std::string>& names, const planner::Swept& swept, Use& use) {
  use.cell("index", Unit::count, swept.index);
  use_choices(names, swept.choices, use);
  use_outcome(swept.found ? &*swept.found : nullptr, use);
  use.cell("feasible", Unit::text, swept.broken.empty());
  use.list("violations", swept.broken);
}

/// Names of columns as --columns and --sort may give them: "tp" is "parallelism.tp"; other names stay.
void name_candidate_columns(std::vector<std::string>& columns, std::string& sort);

/// Makes columns of them.
struct Headings {
  std::vector<Column> columns;
  void cell(const char* name, Unit unit, const Cell&) { columns.push_back({.name = name, .unit = unit}); }
  template <class Each> void object(const char* name, bool, const Each&) { columns.push_back({.name = name}); }
  void list(const char* name, const std::vector<std::string>&) { columns.push_back({.name = name}); }
};

/// Makes cells of them. A sweep has a hundred thousand rows: they are made where they stay.
struct Cells {
  std::vector<Data> cells;
  void cell(const char*, Unit, const Cell& value) { cells.push_back(data_of(value)); }
  template <class Each> void object(const char*, bool is_there, const Each& each) {
    Data& cell = cells.emplace_back();
    if (!is_there) return;
    Data::Object members;
    members.reserve(16);
    each([&](const char* name, const Cell& value) { members.push_back({name, data_of(value)}); });
    cell = std::move(members);
  }
  void list(const char*, const std::vector<std::string>& texts) {
    cells.emplace_back(Data::List(texts.begin(), texts.end()));
  }
};

// The figures of a result in rows of a page's own: `clusters` and `roadmap` name the columns that they show, and have
// all others behind them.

/// REQUIRES: there is a figure of that name.
const planner::ResultRow& figure_named(std::string_view name);

/// The figure of that name. `results`: of a row, std::optional; null without. REQUIRES: there is one.
template <class Row, class Of> RowField<Row> figure_field(const char* name, Of results,
                                                          std::optional<std::string> heading = std::nullopt,
                                                          int rank = 0, const char* page_name = nullptr) {
  const planner::ResultRow& figure = figure_named(name);
  const auto value =
      if_any(results, [&figure](const planner::Results& its) { return data_of(figure_cell(figure, its)); });
  return {name, value, figure.about.unit, std::move(heading), rank, page_name};
}

/// The fields of a page under their own names, and behind them the figures that rows of many plans show and that it
/// lacks: the columns of the report's rows.
template <class Row, class Of> RowFields<Row> with_other_figures(const RowFields<Row>& page, Of results) {
  RowFields<Row> fields;
  for (RowField<Row> field : page.all()) {
    field.heading.clear();
    field.rank = 0;
    fields.add(std::move(field));
  }
  for (const planner::ResultRow& figure : planner::column_figures())
    if (!figure.about.of_space && !fields.has(figure.about.column))
      fields.add(figure_field<Row>(figure.about.column, results));
  return fields;
}

}  // namespace cli
