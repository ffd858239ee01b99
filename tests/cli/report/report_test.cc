#include "cli/report/report.h"

#include <doctest/doctest.h>

#include <sstream>

#include "cli/render/render.h"
#include "tests/cli/sample.h"

using cli::Data;
using cli::Report;
using cli::select;

namespace {

std::vector<std::string> names(const Report& report) {
  std::vector<std::string> out;
  for (const auto& row : report.table.rows) out.push_back(*row[0].text());
  return out;
}

Report numbers() {
  Report report{.format = "trainplan.sample/1", .document = {{"rows", {}}}, .key = "rows", .table = {}, .text = {}};
  report.table.columns = {{.name = "name"}, {.name = "value"}};
  report.table.rows = {{"b", 1.0}, {"c", {}}, {"a", 3.0}, {"d", 2}};
  return report;
}

}  // namespace

TEST_CASE("--sort puts the largest number first, text from A to Z, null last in either direction") {
  struct Row {
    const char* key;
    std::vector<std::string> order;
  };
  for (const Row& row : {Row{"value", {"a", "d", "b", "c"}}, Row{"value:asc", {"b", "d", "a", "c"}},
                         Row{"value:desc", {"a", "d", "b", "c"}}, Row{"name", {"a", "b", "c", "d"}},
                         Row{"name:desc", {"d", "c", "b", "a"}}}) {
    Report report = numbers();
    CAPTURE(std::string(row.key));
    CHECK(select(report, {.columns = {}, .sort = row.key, .top = {}}) == "");
    CHECK(names(report) == row.order);
  }
}

TEST_CASE("--top keeps the first rows, after sorting") {
  Report report = numbers();
  CHECK(select(report, {.columns = {}, .sort = "value", .top = 2}) == "");
  CHECK(names(report) == std::vector<std::string>{"a", "d"});
  CHECK(select(report, {.columns = {}, .sort = "", .top = 100}) == "");
  CHECK(names(report).size() == 2);
}

TEST_CASE("--columns picks and orders columns, dotted names reach into objects") {
  Report report = sample_report();
  REQUIRE(select(report, {.columns = {"shape.m", "name", "shape.k"}, .sort = "", .top = {}}) == "");
  REQUIRE(report.table.columns.size() == 3);
  CHECK(report.table.columns[0].name == "shape.m");
  CHECK(report.table.rows[1][0].number() == 6);
  CHECK(report.table.rows[0][2].is_null());
  CHECK(report.table.rows[1][2].number() == 7);
}

TEST_CASE("of a table without rows, nobody knows which members its objects have") {
  Report report = sample_report();
  report.table.rows.clear();
  CHECK(select(report, {.columns = {"shape.zz", "name"}, .sort = "shape.m", .top = {}}) == "");
  CHECK(select(report, {.columns = {"zz.m"}, .sort = "", .top = {}}) != "");
}

TEST_CASE("an unknown column is refused, with the nearest name") {
  for (const char* name : {"secconds", "shape.zz", "name.x", ""}) {
    Report report = sample_report();
    CAPTURE(std::string(name));
    CHECK(select(report, {.columns = {name}, .sort = "", .top = {}}) != "");
  }
  Report report = sample_report();
  CHECK(select(report, {.columns = {"secconds"}, .sort = "", .top = {}}) ==
        "--columns: no column 'secconds', did you mean 'seconds'?; there are name, count, seconds, shape, tiers, fits");
  CHECK(select(report, {.columns = {}, .sort = "nam", .top = {}}).starts_with("--sort: no column 'nam'"));
}

TEST_CASE("a document without rows is one row of flattened names") {
  Report report{
      .format = "trainplan.sample/1",
      .document = {{"a", Data::Object{{"b", 1.5}, {"list", Data::List{Data::Object{{"x", 1}}}}}}, {"none", {}}},
      .key = "",
      .table = {},
      .text = {}};
  cli::Table flat = flat_table(report);
  REQUIRE(flat.columns.size() == 3);
  CHECK(flat.columns[0].name == "a.b");
  CHECK(flat.columns[1].name == "a.list.0.x");
  CHECK(select(report, {.columns = {"a.b", "none.x"}, .sort = "", .top = {}}) == "");  // below null everything is null
  CHECK(report.document.size() == 2);
  CHECK(report.document[1].value.is_null());
}

TEST_CASE("rows flatten to the union of their names") {
  cli::Table flat = flat_table(sample_report());
  std::vector<std::string> got;
  for (const auto& c : flat.columns) got.push_back(c.name);
  CHECK(got == std::vector<std::string>{"name", "count", "seconds", "shape.m", "shape.n", "shape.k", "tiers", "fits"});
  CHECK(*flat.rows[0][6].text() == "nvlink infiniband");
  CHECK(flat.rows[1][4].is_null());
}

TEST_CASE("a table without rows keeps its columns") {
  Report report = sample_report();
  report.table.rows.clear();
  CHECK(flat_table(report).columns.size() == 6);
}

TEST_CASE("the document and the table of a report are made for whoever prints more than its text") {
  int made = 0;
  Report report{.format = "trainplan.sample/1", .document = {}, .key = "", .table = {}, .text = {"a page"}};
  report.complete = [&made](Report& r) {
    ++made;
    r.document = {{"value", 3}};
  };
  const auto printed = [&](const char* format) {
    std::ostringstream out;
    cli::render(report, format, {}, out);
    return out.str();
  };
  CHECK(printed("table") == "a page\n");
  CHECK(printed("md") == "a page\n");
  CHECK(made == 0);
  CHECK(printed("json").find("\"value\": 3") != std::string::npos);
  CHECK(printed("ndjson").find("\"value\":3") != std::string::npos);
  CHECK(printed("csv") == "value\n3\n");
  CHECK(made == 3);
  CHECK(select(report, {.columns = {"value"}, .sort = "", .top = {}}) == "");
  CHECK(made == 4);
  CHECK(*report.document[0].value.number() == 3);
  CHECK(printed("json").find("\"value\": 3") != std::string::npos);
  CHECK(made == 4);
}

TEST_CASE("a null in a column of objects has the columns of the objects, wherever it stands") {
  for (const bool first : {false, true}) {
    CAPTURE(first);
    Report report = numbers();
    const Data object = Data::Object{{"tp", 8}, {"pp", 2}};
    report.table.rows = {{"b", first ? Data() : object}, {"c", first ? object : Data()}};
    const cli::Table flat = flat_table(report);
    REQUIRE(flat.columns.size() == 3);
    CHECK(flat.columns[1].name == "value.tp");
    CHECK(flat.rows[first ? 0 : 1][1].is_null());
    CHECK(flat.rows[first ? 1 : 0][2].number() == 2);
  }
  Report nulls = numbers();
  nulls.table.rows = {{"b", Data()}, {"c", Data()}};
  CHECK(flat_table(nulls).columns[1].name == "value");
}

namespace {

/// The rows with a page of them: a headline, a table with a column of its own, and a line below.
Report paged() {
  Report report = numbers();
  cli::Table page{.title = "Rows"};
  page.columns = {{.name = "name"}, {.name = "number", .of = "value"}, {.name = "remark"}};
  page.rows = {{"b", 1.0, "two"}, {"c", {}, "four"}, {"a", 3.0, "one"}, {"d", 2, "three"}};
  report.text = {std::string("headline"), page, std::string("below")};
  return report;
}

const cli::Table& page_of(const Report& report) { return std::get<cli::Table>(report.text.at(1)); }

}  // namespace

TEST_CASE("--sort and --top act on the page's rows too, and the rest of the page stays") {
  Report report = paged();
  REQUIRE(select(report, {.columns = {}, .sort = "value", .top = 3}) == "");
  CHECK(names(report) == std::vector<std::string>{"a", "d", "b"});
  REQUIRE(report.text.size() == 3);
  REQUIRE(page_of(report).rows.size() == 3);
  CHECK(*page_of(report).rows[0][2].text() == "one");
  CHECK(*page_of(report).rows[2][2].text() == "two");
  CHECK(report.table.columns.size() == 2);  // as JSON has them
}

TEST_CASE("a column of the page alone can be sorted by, and named") {
  Report sorted = paged();
  REQUIRE(select(sorted, {.columns = {}, .sort = "remark", .top = {}}) == "");
  CHECK(names(sorted) == std::vector<std::string>{"c", "a", "d", "b"});
  Report named = paged();
  REQUIRE(select(named, {.columns = {"remark", "number"}, .sort = "number", .top = 1}) == "");
  REQUIRE(named.table.rows.size() == 1);
  CHECK(*named.table.rows[0][0].text() == "one");
  CHECK(named.table.rows[0][1].number() == 3);
  CHECK(select(named = paged(), {.columns = {"remarks"}, .sort = "", .top = {}}).find("remark") != std::string::npos);
}

TEST_CASE("a page with other rows gives way to the rows with its columns") {
  Report report = paged();
  cli::Table& page = std::get<cli::Table>(report.text[1]);
  page.rows.pop_back();
  page.columns = {{.name = "name"}, {.name = "number", .of = "value"}, {.name = "value"}, {.name = "remark"}};
  for (auto& row : page.rows) row.push_back("more");
  REQUIRE(select(report, {.columns = {}, .sort = "value", .top = 2}) == "");
  REQUIRE(report.text.size() == 1);
  const auto& shown = std::get<cli::Table>(report.text[0]);
  CHECK(shown.columns.size() == 3);  // the remark is of the page alone
  CHECK(shown.rows.size() == 2);
  CHECK(*shown.rows[0][0].text() == "a");
}
