// `trainplan validate` on scenarios with a study.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/contract_shape.h"
#include "tests/cli/harness.h"
#include "tests/cli/json_schema.h"
#include "tests/dsl/folder.h"
#include "tests/planner/studies/published/study_sample.h"

namespace {

namespace fs = std::filesystem;
using Args = std::vector<std::string>;
using nlohmann::json;

const std::string kMixed = sample::study_text(R"(    - name: a
      expect:
        - {label: layers, what: value, of: model.layers, paper: 4}
        - {what: share, of: {kind: [gemm, normalization]}, paper: [0, 1]}
        - {what: step_seconds, paper: 1000, required: false, why: 'section 2: "of another machine"'}
    - name: b
      set: {job.sequence: [128, 256]}
      expect:
        - {what: step_seconds, over: a, change: true, least: -1}
        - {what: operator_flops, trend: rises, along: job.sequence}
)");
const std::string kMissed =
    sample::study_text("    - name: a\n      expect: [{what: value, of: model.layers, paper: 5}]\n");

Ran validate(const std::string& text, Args more = {}) {
  TestFolder folder;
  more.insert(more.begin(), {"validate", folder.add("study.yaml", text)});
  return ran(more);
}

TEST_CASE("a study's document has the keys of the contract") {
  const json document = json::parse(validate(kMixed, {"--format", "json"}).out);
  CHECK(schema_error(schema_of_shape(json::parse(R"({
    "format": "=trainplan.study/1",
    "rows": [{"source": "string", "case": "string", "label": "string?", "what": "string", "of": "string?",
              "over": "string?", "trend": "string?", "along": "string?", "paper_low": "number?",
              "paper_high": "number?", "low": "number", "high": "number", "values": "integer", "pairs": "integer?",
              "against": "integer?", "difference": "number?", "accepted_low": "number?", "accepted_high": "number?",
              "assumed_low": "number?", "assumed_high": "number?", "turned_by": ["string"], "holds": "boolean", "verdict": "string", "why": "string?"}],
    "summary": {"rows": "integer", "within": "integer", "missed": "integer", "excluded": "integer",
                "shown": "integer", "by_construction": "integer", "fitted": "integer"}})")),
                     document) == "");
  const json& rows = document["rows"];
  REQUIRE(rows.size() == 5);
  CHECK(rows[0]["label"] == "layers");
  CHECK(rows[0]["accepted_high"] == doctest::Approx(4.4));
  CHECK(rows[1]["of"] == "kind=gemm, normalization");
  CHECK(rows[2]["holds"] == false);
  CHECK(rows[2]["verdict"] == "excluded");
  CHECK(rows[2]["why"] == "section 2: \"of another machine\"");
  CHECK(rows[0]["verdict"] == "within");
  CHECK(rows[3]["over"] == "a");
  CHECK(rows[3]["paper_high"].is_null());
  CHECK(rows[3]["values"] == 2);
  CHECK(rows[4]["trend"] == "rises");
  CHECK(rows[4]["pairs"] == 1);
  CHECK(document["summary"] == json({{"rows", 5},
                                     {"within", 4},
                                     {"missed", 0},
                                     {"excluded", 1},
                                     {"shown", 0},
                                     {"by_construction", 0},
                                     {"fitted", 0}}));
}

TEST_CASE("a study prints every format, without NaN and in 80 columns") {
  for (const char* format : {"table", "md", "json", "ndjson", "csv", "tsv"}) {
    CAPTURE(format);
    const Ran r = validate(kMixed, {"--format", format});
    CHECK(r.status == 0);
    CHECK(r.err == "");
    CHECK(r.out != "");
    CHECK_FALSE(has_nan(r.out));
  }
  std::istringstream lines(validate(kMixed).out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("the table says what the paper has, what we have, and what its text excludes") {
  const std::string text = validate(kMixed, {"--format", "md"}).out;
  for (const char* part : {"### a paper, fig. 1", "| a | layers | 4 | 4 | 0 | 3.6 to 4.4 | within |", "| excluded |",
                           "Excluded by the text:", "at least -100.0 %", "rises with job.sequence", "0 of 1 against",
                           "- a paper, fig. 1, a, step_seconds: section 2: \"of another machine\"",
                           "4 of 4 figures within, 0 missed; 0 more by construction, 0 that a number was fitted to, 1 "
                           "that the text itself excludes."})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part << "\n" << text);
}

TEST_CASE("several studies are one document") {
  TestFolder folder;
  const std::string a = folder.add("a.yaml", kMixed), b = folder.add("b.yaml", kMissed);
  const Ran r = ran({"validate", a, b, "--format", "json"});
  CHECK(r.status == 4);
  CHECK(json::parse(r.out)["summary"]["rows"] == 6);
  CHECK(ran({"validate", a, b, "--format", "tsv", "--columns", "case,holds"}).out ==
        "case\tholds\na\ttrue\na\ttrue\na\tfalse\nb\ttrue\nb\ttrue\na\tfalse\n");
}

TEST_CASE("the exit status of a study") {
  TestFolder folder;
  const std::string good = folder.add("good.yaml", kMixed), missed = folder.add("missed.yml", kMissed),
                    bad = folder.add("bad.yaml", "stdy: 1\n");
  struct Row {
    Args args;
    int status;
    const char* message;
  };
  for (const Row& row : std::vector<Row>{{{good}, 0, ""},
                                         {{missed}, 4, ""},
                                         {{good, "--set", "model.layers=5"}, 4, ""},
                                         {{missed, "--set", "model.layers=5"}, 0, ""},
                                         {{good, "--set", "model.layer=5"}, 1, "did you mean"},
                                         {{bad}, 1, "has no 'study'"},
                                         {{folder.name() + "/none.yaml"}, 1, "no such file"},
                                         {{good, "runs.csv"}, 2, "'runs.csv' is no scenario"},
                                         {{"runs.csv", "more.csv"}, 2, "unexpected argument 'more.csv'"},
                                         {{good, "--where", "true"}, 2, "--where"},
                                         {{good, "--max-mape", "0.1"}, 2, "--max-mape"},
                                         {{good, "--columns", "cases"}, 2, "cases"}}) {
    Args args = row.args;
    args.insert(args.begin(), "validate");
    const Ran r = ran(args);
    CAPTURE(r.err);
    CHECK(r.status == row.status);
    CHECK(r.err.find(row.message) != std::string::npos);
  }
}

TEST_CASE("a scenario with a study is a scenario: plan, ops and check read it") {
  TestFolder folder;
  const std::string file = folder.add("study.yaml", kMixed);
  for (const char* command : {"plan", "ops", "check", "search"}) CHECK(ran({command, file, "--quiet"}).status == 0);
  CHECK(ran({"plan", file, "--format", "json"}).out.find("study") == std::string::npos);
  CHECK(ran({"plan", folder.add("near.yaml", "studi: 1\n" + kMixed)}).err.find("did you mean 'study'") !=
        std::string::npos);
}

TEST_CASE("docs/accuracy/studies.md shows what the shipped studies print") {
  Args args{"validate", "--format", "md"};
  const fs::path source = TRAINPLAN_SOURCE_DIR;
  for (const auto& entry : fs::directory_iterator(source / "scenarios/studies")) args.push_back(entry.path().string());
  std::sort(args.begin() + 3, args.end());
  const Ran r = ran(args);
  REQUIRE_MESSAGE(r.err == "", r.err);
  CHECK_MESSAGE(r.status == 4, "some are missed: study_files_test.cc lists them");
  std::ifstream file(source / "docs/accuracy/studies.md", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string begin = "<!-- ./dev studies: from here -->\n", end = "<!-- to here -->\n";
  const size_t from = text.find(begin), to = text.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  const bool same = text.substr(from + begin.size(), to - from - begin.size()) == "\n" + r.out + "\n";
  CHECK_MESSAGE(same, "`./dev studies` writes that section");
}

}  // namespace
