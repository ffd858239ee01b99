// Files of embedding tables, and their mistakes.
#include "planner/tables/table_file.h"

#include <doctest/doctest.h>

using namespace planner::tables;

namespace {

constexpr const char* kFactors = "rf0,rf1,rf2,rf3,rf4,rf5,rf6,rf7,rf8,rf9,rf10,rf11,rf12,rf13,rf14,rf15,rf16";
constexpr const char* kZeros = ",0,0,0,0,0,0,0,0,0,0,0,0,0,0";

std::string with_factors(const std::string& row) {
  return std::string("rows,dim,pooling,") + kFactors + "\n" + row + "\n";
}

/// "LINE:COLUMN: MESSAGE" of each mistake.
std::vector<std::string> mistakes(const std::string& text) {
  const dsl::Source source{.name = "t.csv", .text = text, .directory = ""};
  dsl::Diagnostics diagnostics;
  const bool read = read_tables(source, diagnostics).has_value();
  CHECK(read != diagnostics.has_errors());
  std::vector<std::string> said;
  for (const dsl::Diagnostic& d : diagnostics.list)
    said.push_back(std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + ": " + d.message);
  return said;
}

std::vector<Table> read(const std::string& text) {
  const dsl::Source source{.name = "t.csv", .text = text, .directory = ""};
  dsl::Diagnostics diagnostics;
  const auto tables = read_tables(source, diagnostics);
  REQUIRE(tables);
  return *tables;
}

}  // namespace

TEST_CASE("tables are rows, width and pooling, in columns of any order") {
  const std::vector<Table> tables = read("pooling,rows,dim\n2.5,1000,64\n0,7,1e2\n");
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].rows == 1000);
  CHECK(tables[0].dim == 64);
  CHECK(tables[0].pooling == 2.5);
  CHECK(tables[0].name == "0");
  CHECK_FALSE(tables[0].reuse);
  CHECK(tables[1].dim == 100);
  CHECK(tables[1].pooling == 0);
  CHECK(read("name,rows,dim,pooling\nuser,1,1,1\n")[0].name == "user");
}

TEST_CASE("reuse factors are all there, or in a row none") {
  const std::vector<Table> tables =
      read(with_factors(std::string("8,4,3.5,0,0.375,0.625") + kZeros + "\n9,4,1,,,,,,,,,,,,,,,,,"));
  REQUIRE(tables[0].reuse);
  CHECK((*tables[0].reuse)[1] == 0.375);
  CHECK((*tables[0].reuse)[2] == 0.625);
  CHECK_FALSE(tables[1].reuse);
}

TEST_CASE("mistakes of a file stand at their place, all of them") {
  struct Row {
    std::string text;
    std::vector<std::string> said;
  };
  const Row rows[] = {
      {"rows,dim,pooling\n0,1.5,-1\n",
       {"2:1: expected rows, a whole number from 1 to 1e+12, got '0'",
        "2:3: expected dim, a whole number from 1 to 1e+06, got '1.5'",
        "2:7: expected pooling from 0 to 1e+06, got '-1'"}},
      {"rows,dim\n1,1\n", {"1:1: no column 'pooling'"}},
      {"rows,dim,pooling,size\n1,1,1,1\n", {"1:18: unknown column 'size'"}},
      {"rows,dim,pooling,rf0\n1,1,1,1\n", {"1:1: no column for each of the reuse factors rf0 to rf16: 1 of 17"}},
      {"rows,dim,pooling\n", {"1:1: no tables: a line of numbers for each"}},
      {with_factors(std::string("8,4,3.5,0,0.375,0.6") + kZeros),
       {"2:9: the reuse factors of a table sum to 1, these to 0.975"}},
      {with_factors(std::string("8,4,3.5,0,1.375,-0.375") + kZeros),
       {"2:11: expected a reuse factor from 0 to 1, got '1.375'"}},
      {with_factors(std::string("8,4,3.5,,1,0") + kZeros), {"2:9: expected a reuse factor from 0 to 1, got ''"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(mistakes(row.text) == row.said);
  }
}

TEST_CASE("reuse factors of another batch are a mistake, those of this one pass") {
  const dsl::Source source{
      .name = "t.csv", .text = with_factors(std::string("8,4,3.5,0,0.375,0.625") + kZeros), .directory = ""};
  dsl::Diagnostics none;
  const auto tables = read_tables(source, none);
  REQUIRE(tables);
  for (const auto& [batch, wrong] : {std::pair{4.0, false}, {5.0, false}, {3.0, true}, {40.0, true}}) {
    const auto& said = batch;
    CAPTURE(said);
    dsl::Diagnostics diagnostics;
    check_reuse(*tables, batch, diagnostics);
    CHECK(diagnostics.has_errors() == wrong);
    if (wrong) CHECK(diagnostics.list[0].span.line == 2);
  }
}
