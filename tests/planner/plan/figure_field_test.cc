// The lines of figures: names derived from them must be unique, and written values must read back.
#include "planner/plan/figure_field.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "planner/plan/results.h"

using planner::FigureUnit;
using planner::ResultRow;
using planner::Results;

TEST_CASE("no two lines of the results have one name, one column or one key") {
  std::set<std::string> names, columns, keys;
  for (const ResultRow& row : planner::result_figures()) {
    CAPTURE(std::string(row.name));
    CHECK(keys.insert(row.key()).second);
    if (row.about.named) CHECK(names.insert(row.about.named).second);
    if (row.about.column) CHECK(columns.insert(row.about.column).second);
    CHECK(std::string(row.about.doc) != "");
    CHECK((!row.about.heading || row.about.column));  // a page shows columns
    CHECK((!row.about.named || row.about.axis));      // a front may lie along any result
  }
  CHECK(names.size() == planner::result_rows().size());
  CHECK(columns.size() == planner::column_figures().size());
}

TEST_CASE("each figure is a place of its own: what is set there is read there, and nowhere else") {
  const auto rows = planner::result_figures();
  for (const ResultRow& row : rows) {
    if (row.kind == ResultRow::Kind::derived) continue;
    CAPTURE(std::string(row.name));
    Results results;
    row.set(results, 7);
    CHECK(row.figure(results) == 7);
    CHECK(row.value(results) == 7 * row.scale.size);
    const Results untouched;
    for (const ResultRow& other : rows)
      if (&other != &row && other.kind != ResultRow::Kind::derived)
        CHECK(other.figure(results) == other.figure(untouched));
    if (row.kind != ResultRow::Kind::optional) continue;
    row.set(results, std::nullopt);
    CHECK(!row.figure(results));
  }
}

TEST_CASE("an axis has the unit that its figures are divided by") {
  const auto axis = [](FigureUnit unit) { return axis_of(planner::about(unit, "").on_axis("what")); };
  CHECK(axis(FigureUnit::seconds).title == "what, s");
  CHECK(axis(FigureUnit::days).title == "what, days");
  CHECK(axis(FigureUnit::usd).title == "what, USD");
  CHECK(axis(FigureUnit::kwh).title == "what, kWh");
  CHECK(axis(FigureUnit::memory).title == "what, GiB");
  CHECK(axis(FigureUnit::memory).size == std::pow(2, 30));
  CHECK(axis(FigureUnit::fraction).title == "what");
  CHECK(axis(FigureUnit::fraction).size == 1);
}

TEST_CASE("in SI units a day has 86,400 seconds and a kWh 3.6 MJ") {
  CHECK(planner::scale_of(FigureUnit::days).size == 86400);
  CHECK(planner::scale_of(FigureUnit::days).dim == dsl::kTime);
  CHECK(planner::scale_of(FigureUnit::kwh).size == 3.6e6);
  CHECK(planner::scale_of(FigureUnit::usd).dim == dsl::kMoney);
  CHECK(planner::scale_of(FigureUnit::fraction).dim == dsl::kNone);
}
