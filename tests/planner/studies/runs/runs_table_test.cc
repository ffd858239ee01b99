// Tables of measured runs: the CSV reader, the columns, --where.
#include <doctest/doctest.h>

#include "dsl/where.h"
#include "planner/studies/runs/run.h"

namespace {

using dsl::CsvTable;

struct Read {
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  dsl::CsvTable table;
  explicit Read(std::string text)
      : source{"runs.csv", std::move(text), ""}, table(dsl::read_csv(source, diagnostics)) {}
};

std::vector<std::string> texts(const std::vector<dsl::CsvCell>& cells) {
  std::vector<std::string> out;
  for (const dsl::CsvCell& c : cells) out.push_back(c.text);
  return out;
}

using Cells = std::vector<std::string>;

}  // namespace

TEST_CASE("a table is read as RFC 4180 has it") {
  struct Case {
    const char* text;
    std::vector<Cells> rows;
  };
  const std::vector<Case> cases{
      {"a,b\n1,2\n", {{"1", "2"}}},
      {"a,b\r\n1,2\r\n", {{"1", "2"}}},
      {"a,b\n1,2", {{"1", "2"}}},
      {"a,b\n", {}},
      {"a,b\n,\n", {{"", ""}}},
      {"a,b\r\n,\r\n", {{"", ""}}},
      {"a,b\n1,", {{"1", ""}}},
      {"a,b\n\"x, y\",2\n", {{"x, y", "2"}}},
      {"a,b\n\"say \"\"so\"\"\",2\n", {{"say \"so\"", "2"}}},
      {"a,b\n\"\",\"\"\n", {{"", ""}}},
      {"a,b\n\"two\nlines\",2\n3,4\n", {{"two\nlines", "2"}, {"3", "4"}}},
      {"a,b\n\n1,2\n\n", {{"1", "2"}}},
      {"a,b\n 1 ,2\n", {{" 1 ", "2"}}},
  };
  for (const Case& c : cases) {
    INFO(std::string(c.text));
    Read read(c.text);
    CHECK_FALSE(read.diagnostics.has_errors());
    CHECK(texts(read.table.header) == Cells{"a", "b"});
    REQUIRE(read.table.rows.size() == c.rows.size());
    for (size_t i = 0; i < c.rows.size(); ++i) CHECK(texts(read.table.rows[i]) == c.rows[i]);
  }
}

TEST_CASE("cells know their line and column") {
  Read read("name,b\n\"x\n y\",2\nlonger,7\n");
  CHECK(read.table.rows[0][1].span.line == 3);  // behind a cell of two lines
  CHECK(read.table.rows[0][1].span.column == 5);
  CHECK(read.table.rows[1][1].span.line == 4);
  CHECK(read.table.rows[1][1].span.column == 8);
  CHECK(read.table.column("b") == 1);
  CHECK_FALSE(read.table.column("c").has_value());
}

TEST_CASE("what is wrong with a table is said with its place") {
  struct Case {
    const char *text, *message;
    int line, column;
  };
  const std::vector<Case> cases{
      {"", "the file is empty", 1, 1},
      {"\n\n", "the file is empty", 1, 1},
      {"a,b\n1\n", "expected 2 cells as in the header, got 1", 2, 1},
      {"a,b\n1,2,3\n", "expected 2 cells as in the header, got 3", 2, 5},
      {"a,b\n1,2\n\"open,2\n3,4\n", "the quote is not closed", 3, 1},
      {"a,b\n\"1\"x,2\n", "text after the closing quote", 2, 4},
      {"a,b\n1,2\"\n", "a quote inside a cell", 2, 4},
      {"a,a\n1,2\n", "a second column is called 'a'", 1, 3},
      {"a,\n1,2\n", "a column without a name", 1, 3},
      {"a,b\n1,\x01\n", "", 2, 3},
      {"a,b\n1,\xFF\n", "", 2, 3},
      {"\xEF\xBB\xBFid\n", "", 1, 1},
  };
  for (const Case& c : cases) {
    INFO(std::string(c.text));
    Read read(c.text);
    REQUIRE(read.diagnostics.has_errors());
    const dsl::Diagnostic& d = read.diagnostics.list[0];
    CHECK(d.message.find(c.message) == 0);
    CHECK(d.span.line == c.line);
    CHECK(d.span.column == c.column);
    CHECK(dsl::render(d).find("runs.csv:") == 0);
  }
}

TEST_CASE("a number is all of its cell") {
  CHECK(dsl::cell_number("12") == 12);
  CHECK(dsl::cell_number("-0.5") == -0.5);
  CHECK(dsl::cell_number("1e3") == 1000);
  for (const char* text : {"", " 1", "1 ", "1x", "x", "0x10", "nan", "inf", "1e999", "1,5"}) {
    INFO(text);
    CHECK_FALSE(dsl::cell_number(text).has_value());
  }
}

namespace {

const std::string kHeader =
    "id,family,layers,hidden,heads,vocab,seq_len,gpu,n_gpus,precision,software,global_batch,tp,pp,measured_iteration_s,"
    "measured_memory_gb,memory_kind\n";

struct ReadRuns : Read {
  std::vector<planner::Run> runs;
  explicit ReadRuns(const std::string& text) : Read(text), runs(planner::read_runs(table, diagnostics)) {}
};

}  // namespace

TEST_CASE("a row becomes a run; a missing optional column is an empty cell") {
  ReadRuns read(kHeader + "r1,dense,8,1024,16,,2048,A100-SXM-80GB,8,bf16,nemo,64,1,2,1.5,10,reserved\n");
  REQUIRE_FALSE(read.diagnostics.has_errors());
  const planner::Run& run = read.runs.at(0);
  CHECK(run.id == "r1");
  CHECK(run.group == "");
  CHECK(run.config.layers == 8);
  CHECK_FALSE(run.config.vocab.has_value());
  CHECK_FALSE(run.config.dp.has_value());
  CHECK(run.config.pp == 2);
  CHECK(run.measured.seconds == 1.5);
}

TEST_CASE("memory is in the unit of its kind") {
  struct Case {
    const char* kind;
    double bytes;
  };
  for (const Case& c :
       {Case{"allocated", 10737418240.0}, Case{"reserved", 10737418240.0}, Case{"device", 10e9}, Case{"", 10e9}}) {
    INFO(std::string(c.kind));
    ReadRuns read(kHeader + "r,dense,8,1024,16,1,1,g,8,bf16,nemo,64,1,2,,10," + c.kind + "\n");
    REQUIRE_FALSE(read.diagnostics.has_errors());
    CHECK(read.runs[0].measured.memory_bytes == c.bytes);
    CHECK_FALSE(read.runs[0].measured.seconds.has_value());
  }
}

TEST_CASE("cells that cannot be are diagnosed with their place") {
  struct Case {
    std::string row, message;
    int column;
  };
  const std::vector<Case> cases{
      {"r,dense,many,1024,16,1,1,g,8,bf16,x,64,1,2,1,,", "expected a whole number in column 'layers', got 'many'", 9},
      {"r,dense,8.5,1024,16,1,1,g,8,bf16,x,64,1,2,1,,", "expected a whole number in column 'layers'", 9},
      {"r,dense,-8,1024,16,1,1,g,8,bf16,x,64,1,2,1,,", "expected a whole number in column 'layers'", 9},
      {"r,dense,1e300,1024,16,1,1,g,8,bf16,x,64,1,2,1,,", "expected a whole number in column 'layers'", 9},
      {"r,dense,8,1024,16,1,1,g,8,bf16,x,64,1,2,0,,", "expected a number above 0 in column 'measured_iteration_s'", 41},
      {"r,dense,8,1024,16,1,1,g,8,bf16,x,64,1,2,nan,,", "expected a number above 0 in column 'measured_iteration_s'",
       41},
      {"r,dense,8,1024,16,1,1,g,8,bf16,x,64,1,2,1,5,guessed", "unknown memory kind 'guessed'", 45},
  };
  for (const Case& c : cases) {
    INFO(c.row);
    ReadRuns read(kHeader + c.row + "\n");
    REQUIRE(read.diagnostics.list.size() == 1);
    CHECK(read.diagnostics.list[0].message.find(c.message) == 0);
    CHECK(read.diagnostics.list[0].span.line == 2);
    CHECK(read.diagnostics.list[0].span.column == c.column);
  }
}

TEST_CASE("a trace may stand in place of the seconds, of a row or of all") {
  const std::string row = "r,dense,8,1024,16,1,1,g,8,bf16,x,64,1,2,";
  const std::string head =
      "id,family,layers,hidden,heads,vocab,seq_len,gpu,n_gpus,precision,software,global_batch,tp,pp,";
  ReadRuns traced(head + "measured_trace\n" + row + "a.json b.json\n");
  REQUIRE_FALSE(traced.diagnostics.has_errors());
  CHECK(traced.runs[0].trace == "a.json b.json");
  CHECK(traced.runs[0].trace_place.column == 41);
  CHECK_FALSE(traced.runs[0].measured.seconds.has_value());
  ReadRuns both(head + "measured_iteration_s,measured_trace\n" + row + "1,\n" + row + ",a.json\n" + row + "1,a.json\n");
  REQUIRE(both.diagnostics.list.size() == 1);
  CHECK(both.diagnostics.list[0].message == "the time stands in 'measured_iteration_s' and in 'measured_trace'");
  CHECK(both.diagnostics.list[0].span.line == 4);
  CHECK(both.runs[0].trace.empty());
  CHECK(ReadRuns(head + "measured_memory_gb\n").diagnostics.list[0].message == "no column 'measured_iteration_s'");
}

TEST_CASE("every needed column that is missing is named") {
  ReadRuns read("id,famly,layers\nr,dense,8\n");
  REQUIRE(read.diagnostics.has_errors());
  CHECK(read.diagnostics.list[0].message == "no column 'family'");
  CHECK(read.diagnostics.list[0].hint == "did you mean 'famly'?");
  size_t needed = 1;  // measured_iteration_s
  for (const planner::ConfigColumn& c : planner::config_columns()) needed += c.needed;
  CHECK(read.diagnostics.list.size() == needed - 1);
}

// ---- --where

namespace {

const std::string kWhere = "id,n,m,word,mixed\nr1,1,2,abc,3\nr2,2,,def,x\nr3,3,4,,\nr4,-4,0,abc,3\n";

/// The ids that an expression selects from kWhere, joined; or "error COLUMN: MESSAGE".
std::string selected(const std::string& expression) {
  Read read(kWhere);
  dsl::Source where{"--where", expression, ""};
  std::vector<size_t> rows = dsl::select_rows(read.table, where, read.diagnostics);
  std::string out;
  if (read.diagnostics.has_errors())
    return "error " + std::to_string(read.diagnostics.list[0].span.column) + ": " + read.diagnostics.list[0].message;
  for (size_t row : rows) out += (out.empty() ? "" : " ") + read.table.rows[row][0].text;
  return out;
}

}  // namespace

TEST_CASE("--where selects rows; an empty cell equals only the empty text and fails every other comparison") {
  struct Case {
    const char *expression, *ids;
  };
  const std::vector<Case> cases{
      {"", "r1 r2 r3 r4"},
      {"n == 2", "r2"},
      {"n != 2", "r1 r3 r4"},
      {"n > 1", "r2 r3"},
      {"n >= 1 and n <= 2", "r1 r2"},
      {"1 < n", "r2 r3"},
      {"n == -4", "r4"},
      {"n in [1, 3]", "r1 r3"},
      {"n not in [1, 3]", "r2 r4"},
      {"word == \"abc\"", "r1 r4"},
      {"\"abc\" == word", "r1 r4"},
      {"word in [\"abc\", \"def\"]", "r1 r2 r4"},
      {"m == \"\"", "r2"},
      {"m != \"\"", "r1 r3 r4"},
      {"word == \"\" or m == \"\"", "r2 r3"},
      {"m < 3", "r1 r4"},
      {"m != 2", "r3 r4"},  // r2 fails it
      {"m not in [2]", "r3 r4"},
      {"m in [2, \"\"]", "r1 r2"},
      {"not m == 2", "r2 r3 r4"},  // r2 fails m == 2
      {"n + m > 4", "r3"},
      {"n * m == 2", "r1"},
      {"m - n < 0", ""},
      {"m / n > 0 or n == 2", "r1 r2 r3"},
      {"mixed == 3", "r1 r4"},
      {"mixed == \"x\"", "r2"},
      {"mixed != 3", "r2"},
      {"mixed > 1", "r1 r4"},
      {"n == m or (n > 2 and word == \"\")", "r3"},
      {"max(n, 2) == 3", "r3"},
      {"abs(n) in [4]", "r4"},
      {"n == 1 or true", "r1 r2 r3 r4"},
      {"false", ""},
  };
  for (const Case& c : cases) {
    INFO(std::string(c.expression));
    CHECK(selected(c.expression) == c.ids);
  }
}

TEST_CASE("a mistake in --where is said with its place") {
  struct Case {
    const char *expression, *message;
  };
  const std::vector<Case> cases{
      {"wrd == \"abc\"", "error 1: no column 'wrd'"},
      {"n == 1 or wrd == \"abc\"", "error 11: no column 'wrd'"},
      {"word == 3", "error 9: column 'word' holds text, not numbers"},
      {"n == \"1\"", "error 6: column 'n' holds numbers, not text"},
      {"n in [1, \"x\"]", "error 10: column 'n' holds numbers, not text"},
      {"word > \"a\"", "error 8: text has no order"},
      {"n == true", "error 6: a cell is a number or text, never true or false"},
      {"n == 3 s", "error 6: cells hold plain numbers, not quantities"},
      {"n", "error 1: expected true or false, got a plain number"},
      {"n ==", "error"},
      {"n = 1", "error"},
      {"(n == 1", "error"},
      {"word + 1 > 2", "error"},
      {"n / 0 > 1", "error"},
      {"nosuch(n) > 1", "error"},
      {"n > 1 > 0", "error"},
  };
  for (const Case& c : cases) {
    INFO(std::string(c.expression));
    CHECK(selected(c.expression).find(c.message) == 0);
  }
}
