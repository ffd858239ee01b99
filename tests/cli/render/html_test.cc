// A report as one HTML file; tests/html_test.sh opens such pages in a browser.
#include "cli/render/html.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/render/render.h"
#include "tests/cli/harness.h"

using cli::Data;
using cli::Table;
using Json = nlohmann::ordered_json;

namespace {

Table packed_table(std::vector<std::vector<Data>> rows) {
  Table table;
  for (size_t c = 0; c < rows.front().size(); ++c) table.columns.push_back({.name = "c" + std::to_string(c)});
  table.rows = std::move(rows);
  return table;
}

/// What the script of the page reads in a column.
Json cell_at(const Json& columns, size_t c, size_t row) {
  const Json& column = columns[c];
  if (column.contains("all")) return column.at("all");
  const Json& owner = column.contains("as") ? columns[column.at("as").get<size_t>()] : column;
  return column.at("of").at(owner.contains("at") ? owner.at("at").at(row).get<size_t>() : row);
}

std::string html_of(const cli::Report& report, const cli::Page& page = {}) {
  std::ostringstream out;
  cli::render_html(report, page, out);
  return out.str();
}

size_t parts_in(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

}  // namespace

TEST_CASE("packed columns hold every cell, figures to five digits") {
  std::vector<std::vector<Data>> rows;
  for (int i = 0; i < 40; ++i)
    rows.push_back(
        {"tp", i % 3 == 0 ? Data("none") : Data("full"), i, 1.0 / (i + 3), i % 7 ? Data(i % 7) : Data(), i > 20});
  const Table table = packed_table(rows);
  const Json packed = Json::parse(cli::packed_rows(table));
  CHECK(packed.at("count") == 40);
  const Json& columns = packed.at("columns");
  REQUIRE(columns.size() == 6);
  CHECK(columns[0].contains("all"));
  CHECK(columns[1].contains("at"));
  CHECK(!columns[2].contains("at"));
  CHECK(columns[3].at("as") == 2);
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(cell_at(columns, 0, i) == "tp");
    CHECK(cell_at(columns, 1, i) == *rows[i][1].text());
    CHECK(cell_at(columns, 2, i) == static_cast<int>(i));
    CHECK(cell_at(columns, 3, i).get<double>() == doctest::Approx(*rows[i][3].number()).epsilon(1e-4));
    CHECK(cell_at(columns, 4, i).is_null() == rows[i][4].is_null());
    CHECK(cell_at(columns, 5, i) == (i > 20));
  }
}

TEST_CASE("no text of a scenario ends the element that it stands in") {
  const std::string nasty = "</script><script>alert(1)</script> & \"quoted\"";
  const Table table = packed_table({{nasty, 1.5}, {nasty + "2", 2.5}});
  CHECK(cli::packed_rows(table).find('<') == std::string::npos);
  CHECK(cell_at(Json::parse(cli::packed_rows(table)).at("columns"), 0, 0) == nasty);
  cli::Report report{.format = "trainplan.test/1", .document = {{"rows", Data::List{}}}, .key = "rows", .table = table};
  report.text = {nasty, table};
  const std::string page =
      html_of(report, {.command = "trainplan plan '" + nasty + "'", .texts = {{nasty, nasty + "\nmore"}}});
  CHECK(parts_in(page, "<script") == 2);  // the rows, and the script of the page
  CHECK(parts_in(page, "</script>") == 2);
  CHECK(page.find("alert(1)</") == std::string::npos);
}

TEST_CASE("a page holds the text, the rows, the command, what was read and the document") {
  const std::string file = TRAINPLAN_SOURCE_DIR "/scenarios/gpt3-175b-search.yaml";
  const Ran page = ran({"search", file, "--top", "3", "--format", "html"});
  REQUIRE_MESSAGE(page.status == 0, page.err);
  for (const char* part :
       {"<!doctype html>", "<svg ", "Best plans", "every row and column", "class=\"key\"", "trainplan search ",
        "the scenario with all that it leaves out", "&quot;format&quot;: &quot;trainplan.search/1&quot;",
        "microbatch: ", "prefers-color-scheme: dark", "@media print"})
    CHECK_MESSAGE(page.out.find(part) != std::string::npos, part);
  for (const char* part : {"src=\"http", "href=\"http", "@import", "url("})
    CHECK_MESSAGE(page.out.find(part) == std::string::npos, part);
}

TEST_CASE("the cells of written tables carry what they sort by") {
  Table table{.title = "Times",
              .columns = {{.name = "part"}, {.name = "step", .unit = cli::Unit::seconds}},
              .rows = {{"forward", 0.01234}, {"backward", Data()}}};
  const std::string page = html_of({.format = "trainplan.test/1", .text = {"A title\nmore", table}});
  CHECK(page.find("<title>A title</title>") != std::string::npos);
  CHECK(page.find("<td class=\"figure\" data-value=\"0.01234\">12.34 ms</td>") != std::string::npos);
  CHECK(page.find("<td class=\"figure\" data-value=\"\">-</td>") != std::string::npos);
  CHECK(page.find("<p>A title\nmore</p>") != std::string::npos);
  CHECK(parts_in(page, "<input") == 0);  // two rows need no filter
}

TEST_CASE("a page's title is its answer; key figures, bars and what figures rest on have places of their own") {
  const std::string file = TRAINPLAN_SOURCE_DIR "/scenarios/gpt3-175b.yaml";
  const std::string page = ran({"plan", file, "--quiet", "--format", "html"}).out;
  const auto at = [&](const std::string& part) { return page.find(part); };
  CHECK(at("<title>gpt3-175b on 512 x a100-sxm-80gb: 42.") != std::string::npos);
  CHECK(at("kUSD</h1>") != std::string::npos);
  CHECK(at("<dt>run</dt>") < at("<dt>cost</dt>"));
  CHECK(at("<dt>cost</dt>") < at("<svg "));
  CHECK(at("<i class=\"bar\" style=\"width:") != std::string::npos);
  CHECK(at("####") == std::string::npos);
  CHECK(at("what these figures rest on") < at("Assumed, not written"));
  CHECK(at("Where the step goes") < at("what these figures rest on"));
}

TEST_CASE("a report without a text is titled by its rows; those of a wide table are printed small") {
  const std::string list = ran({"list", "cluster", "--quiet", "--format", "html"}).out;
  CHECK(list.find(" entries</h1>") != std::string::npos);
  CHECK(list.find("<details open><summary>every row") != std::string::npos);
  Table table{.columns = {{.name = "a"}}, .rows = {{"x"}}};
  cli::Report report{.format = "trainplan.sample/1", .document = {}, .text = {table}};
  CHECK(html_of(report).find("class=\"wide\"") == std::string::npos);
  table.columns.assign(11, {.name = "a"});
  table.rows = {std::vector<cli::Data>(11, "x")};
  report.text = {table};
  CHECK(html_of(report).find("<table class=\"wide\">") != std::string::npos);
}
