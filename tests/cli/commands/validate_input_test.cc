// `trainplan validate` on small tables: cells, quotes, conditions, limits.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

using Json = nlohmann::ordered_json;

namespace {

using Args = std::vector<std::string>;

const char* const kHeader =
    "id,group,family,layers,hidden,heads,vocab,seq_len,gpu,gpus_per_node,n_gpus,precision,software,global_batch,tp,pp,"
    "dp,microbatch,recompute,measured_iteration_s,measured_memory_gb,memory_kind\n";

// One run of a small model; `measured`: "seconds,gb,kind".
std::string run(const std::string& id, const std::string& measured, const std::string& tp = "1",
                const std::string& group = "g") {
  return id + "," + group + ",dense,24,2048,16,51200,2048,A100-SXM-80GB,8,8,bf16,megatron-core,64," + tp +
         ",1,,1,none," + measured + "\n";
}

Ran validate(const std::string& table, Args more = {}) {
  more.insert(more.begin(), {"validate", "-"});
  return ran(more, table);
}

std::string two_runs() { return kHeader + run("a", "2.5,,") + run("b", "2,30,reserved", "2", "h"); }

Json predicted(const std::string& table, Args more = {}) {
  more.insert(more.end(), {"--format", "json", "--quiet"});
  return Json::parse(validate(table, more).out, nullptr, false);
}

}  // namespace

TEST_CASE("a small table is predicted row by row") {
  const Json j = predicted(two_runs());
  REQUIRE(j["rows"].size() == 2);
  for (const Json& row : j["rows"]) {
    CHECK(row["skipped"].is_null());
    CHECK(row["predicted_seconds"].get<double>() > 0);
    CHECK(row["low_seconds"].get<double>() <= row["predicted_seconds"].get<double>());
    CHECK(row["high_seconds"].get<double>() >= row["predicted_seconds"].get<double>());
  }
  CHECK(j["rows"][0]["measured_seconds"] == 2.5);
  CHECK(j["rows"][0]["memory_error"].is_null());
  CHECK(j["rows"][1]["measured_memory_bytes"] == 30.0 * (1 << 30));  // allocators print GiB
  CHECK(j["rows"][1]["memory_kind"] == "reserved");
  CHECK(j["summary"]["rows"] == 2);
  CHECK(j["groups"].size() == 2);
}

TEST_CASE("line ends, blank lines, quotes and the order of columns change nothing") {
  const Json expected = predicted(two_runs());
  std::string crlf, quoted = kHeader, spaced = "\n" + two_runs() + "\n\n";
  for (char c : two_runs()) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  quoted += run("\"a\"", "\"2.5\",\"\",") + run("b", "2,30,\"reserved\"", "\"2\"", "\"h\"");
  std::string open_end = two_runs();
  open_end.pop_back();
  for (const std::string& text : {crlf, quoted, spaced, open_end}) CHECK(predicted(text) == expected);
  const Json named = predicted(kHeader + run("\"a, \"\"b\"\"\nc\"", "2.5,,"));
  CHECK(named["rows"][0]["id"] == "a, \"b\"\nc");
}

TEST_CASE("mistakes in cells are told at their line and column, all in one run") {
  const std::string header = kHeader;
  const std::string row = run("a", "2.5,,");
  auto changed = [&](const std::string& from, const std::string& to) {
    std::string out = row;
    out.replace(out.find(from), from.size(), to);
    return header + out;
  };
  const struct {
    std::string table;
    const char* message;
  } rows[] = {
      {"", "<stdin>:1:1: error: the file is empty"},
      {"\n\n", "the file is empty"},
      {"id,id\n", "<stdin>:1:4: error: a second column is called 'id'"},
      {"id,,x\n", "<stdin>:1:4: error: a column without a name"},
      {"id\na\n", "no column 'family'"},
      {changed(",24,", ",x,"), "<stdin>:2:11: error: expected a whole number in column 'layers', got 'x'"},
      {changed(",24,", ",24.5,"), "expected a whole number in column 'layers', got '24.5'"},
      {changed(",24,", ",-24,"), "expected a whole number in column 'layers', got '-24'"},
      {changed(",24,", ",1e16,"), "expected a whole number in column 'layers', got '1e16'"},
      {changed(",2.5,", ",0,"), "expected a number above 0 in column 'measured_iteration_s', got '0'"},
      {changed(",2.5,", ",-1,"), "expected a number above 0 in column 'measured_iteration_s', got '-1'"},
      {changed(",2.5,", ",fast,"), "expected a number above 0 in column 'measured_iteration_s', got 'fast'"},
      {changed(",2.5,", ",nan,"), "expected a number above 0 in column 'measured_iteration_s', got 'nan'"},
      {changed("2.5,,", "2.5,3,vram"), "unknown memory kind 'vram'; known: allocated, reserved, device"},
      {changed("2.5,,", "2.5,,,9"), "<stdin>:2:91: error: expected 22 cells as in the header, got 23"},
      {changed("2.5,,", "2.5"), "error: expected 22 cells as in the header, got 20"},
      {changed("a,g", "a\"b,g"), "<stdin>:2:2: error: a quote inside a cell"},
      {changed("a,g", "\"a\"b,g"), "<stdin>:2:4: error: text after the closing quote"},
      {header + "\"a", "<stdin>:2:1: error: the quote is not closed"},
      {header + std::string("a\0b", 3), "<stdin>:2:2: error"},
      {header + "\xFF\n", "<stdin>:2:1: error"},
  };
  for (const auto& r : rows) {
    INFO(std::string(r.message));
    Ran result = validate(r.table);
    CHECK(result.status == 1);
    CHECK(result.out == "");
    CHECK_MESSAGE(holds(result.err, r.message), result.err);
  }
  Ran both = validate(header + run("a", "x,,") + run("b", "1,2,vram"));
  CHECK(holds(both.err, "<stdin>:2:"));
  CHECK(holds(both.err, "<stdin>:3:"));
}

TEST_CASE("a row that cannot be predicted is skipped with its reason and counts in no mean") {
  std::string table = two_runs();
  std::string odd = run("odd", "1,,");
  odd.replace(odd.find("A100-SXM-80GB"), 13, "Z80");
  const Json j = predicted(table + odd), without = predicted(table);
  REQUIRE(j["rows"].size() == 3);
  CHECK(j["rows"][2]["skipped"].is_string());
  CHECK(j["rows"][2]["predicted_seconds"].is_null());
  CHECK(j["rows"][2]["error"].is_null());
  CHECK(j["summary"]["skipped"] == 1);
  CHECK(j["summary"]["mape"] == without["summary"]["mape"]);
}

TEST_CASE("a degree of zero is refused by its field, and the other rows are predicted") {
  const Json j = predicted(two_runs() + run("none", "1,,", "0"));
  REQUIRE(j["rows"].size() == 3);
  CHECK(j["rows"][2]["predicted_seconds"].is_null());
  CHECK(holds(j["rows"][2]["skipped"].dump(), "parallelism.tp must be at least 1, got 0"));
  CHECK(j["summary"]["skipped"] == 1);
}

TEST_CASE("--where keeps the rows for which it holds") {
  const struct {
    const char* where;
    size_t rows;
  } rows[] = {{"tp == 1", 1},
              {"tp > 1", 1},
              {"tp >= 1", 2},
              {"not tp == 1", 1},
              {"tp in [1, 2]", 2},
              {"tp not in [1]", 1},
              {"id == \"a\"", 1},
              {"id in [\"a\", \"b\", \"c\"]", 2},
              {"group == \"h\" and tp == 2", 1},
              {"group == \"h\" or tp == 1", 2},
              {"measured_iteration_s < 2.4", 1},
              {"measured_memory_gb > 1", 1},
              {"tp * pp == n_gpus / 4", 1},
              {"true", 2},
              {"software == \"megatron-core\"", 2}};
  for (const auto& row : rows) {
    INFO(std::string(row.where));
    const Json j = predicted(two_runs(), {"--where", row.where});
    REQUIRE(j.is_object());
    CHECK(j["rows"].size() == row.rows);
    CHECK(j["summary"]["rows"] == row.rows);
  }
  for (const char* none : {"dp == 1", "false", "measured_iteration_s > 1e9"}) {
    const Ran r = validate(two_runs(), {"--where", none});
    CHECK(r.status == 1);
    CHECK(r.err.find("selects none of the table's rows: '" + std::string(none) + "'") != std::string::npos);
  }
}

TEST_CASE("a wrong --where is told at its place") {
  const struct {
    const char *where, *message;
  } rows[] = {{"tpp == 1", "--where:1:1: error: no column 'tpp'"},
              {"tp == 1 and layer > 2", "--where:1:13: error: no column 'layer'"},
              {"tp == ", "--where:1:7: error: expected a value"},
              {"tp == (1", "error: expected ')'"},
              {"tp", "expected true or false, got a plain number"},
              {"tp == \"two\"", "column 'tp' holds numbers, not text"},
              {"id == 3", "column 'id' holds text, not numbers"},
              {"id < \"b\"", "text has no order"},
              {"tp == 1 s", "cells hold plain numbers, not quantities"},
              {"tp == true", "a cell is a number or text, never true or false"},
              {"tp in [1, \"x\"]", "column 'tp' holds numbers, not text"},
              {"tp == 1 == 2", "comparisons do not chain"}};
  for (const auto& row : rows) {
    INFO(std::string(row.where));
    Ran r = validate(two_runs(), {"--where", row.where});
    CHECK(r.status == 1);
    CHECK(r.out == "");
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
  }
}

TEST_CASE("--max-mape decides at the error itself") {
  const double mape = predicted(two_runs())["summary"]["mape"].get<double>();
  auto status = [&](double limit) {
    std::ostringstream text;
    text.precision(17);
    text << limit;
    return validate(two_runs(), {"--quiet", "--max-mape", text.str()}).status;
  };
  CHECK(status(mape) == 0);
  CHECK(status(std::nextafter(mape, 0)) == 4);
  CHECK(status(mape * 2) == 0);
  CHECK(status(0) == 4);
  Ran above = validate(two_runs(), {"--quiet", "--max-mape", "0", "--format", "json"});
  CHECK(above.status == 4);
  CHECK(Json::parse(above.out)["summary"]["mape"] == mape);  // printed all the same
  CHECK(validate(two_runs(), {"--quiet", "--max-mape", "1", "--where", "false"}).status == 1);
  CHECK(validate(two_runs(), {"--max-mape", "-0.1"}).status == 2);
}
