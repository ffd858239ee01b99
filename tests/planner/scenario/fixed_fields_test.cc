// Each kind of a fixed operator list takes its own fields; all others are mistakes, reported at their places.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "planner/scenario/fixed.h"
#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

namespace {

using planner::FixedKind;
using planner::kFixedNames;
using planner::KindFields;

/// Fields that not all kinds take, each with a value that it may have.
constexpr std::array<std::array<const char*, 2>, 9> kFields{{{"in", "4"},
                                                             {"kernel", "3"},
                                                             {"stride", "2"},
                                                             {"kernel_width", "1"},
                                                             {"stride_width", "1"},
                                                             {"bias", "false"},
                                                             {"bidirectional", "false"},
                                                             {"keeps_input", "true"},
                                                             {"tables", "[10]"}}};

const char* word(FixedKind kind) { return kFixedNames[static_cast<size_t>(kind)]; }

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// A scenario of this operator alone, written in one line: the fifth.
std::string scenario_of(const std::string& fields) {
  return "model:\n"
         "  operators:\n"
         "    - {name: first, kind: linear, in: 4, out: 4}\n"
         "    # the operator\n"
         "    - {name: a, rows: 4, out: 4, " +
         fields +
         "}\n"
         "job: {sequence: 1, global_batch: 4, precision: fp16, optimizer: sgd}\n"
         "cluster: {use: dgx-a100-80gb, gpus: 1}\n"
         "software: {use: ddp-amp}\n";
}

Ran planned(const std::string& fields, const std::string& command = "plan") {
  return ran({command, "-", "--quiet"}, scenario_of(fields));
}

/// The operator with all that its kind needs.
std::string needed(FixedKind kind) {
  std::string out = std::string("kind: ") + word(kind);
  for (const auto& [name, value] : kFields)
    if (holds(planner::fields_of(kind).needs, name)) out += std::string(", ") + name + ": " + value;
  return out;
}

std::vector<FixedKind> kinds() {
  std::vector<FixedKind> out;
  for (size_t i = 0; i < kFixedNames.size(); ++i) out.push_back(static_cast<FixedKind>(i));
  return out;
}

}  // namespace

TEST_CASE("each kind takes the fields of its row, and refuses all others where they stand") {
  for (const FixedKind kind : kinds()) {
    const KindFields& row = planner::fields_of(kind);
    std::string good = needed(kind), bad = good, told;
    for (const auto& [name, value] : kFields) {
      if (holds(row.needs, name)) continue;
      std::string& fields = holds(row.may, name) ? good : bad;
      fields += std::string(", ") + name + ": " + value;
      if (!holds(row.may, name)) told += std::string(name) + " ";
    }
    CAPTURE(word(kind));
    const Ran r = planned(good), refused = planned(bad);
    CHECK_MESSAGE(r.status == 0, r.err);
    CHECK(refused.status == 1);
    CHECK(refused.out.empty());
    const std::regex message("<stdin>:5:[0-9]+: error: model\\.operators\\[1\\]\\.([a-z_]+): an operator of kind '" +
                             std::string(word(kind)) + "' has no '\\1'\n");
    std::string seen;
    for (std::sregex_iterator it(refused.err.begin(), refused.err.end(), message), end; it != end; ++it)
      seen += (*it)[1].str() + " ";
    CHECK(seen == told);
    CHECK(refused.err.find(std::string("'") + word(kind) + "' takes name, kind, rows, out, count") !=
          std::string::npos);
  }
}

TEST_CASE("a field that a kind needs is missed where the operator stands") {
  for (const FixedKind kind : kinds()) {
    const KindFields& row = planner::fields_of(kind);
    const Ran r = planned(std::string("kind: ") + word(kind));
    CAPTURE(word(kind));
    CHECK(r.status == (row.needs.empty() ? 0 : 1));
    for (const std::string& name : row.needs) {
      CHECK_MESSAGE(r.err.starts_with("<stdin>:5:7: error: missing required field model.operators[1]." + name + "\n"),
                    r.err);
      CHECK(r.err.find(std::string("an operator of kind '") + word(kind) + "' needs it") != std::string::npos);
    }
  }
}

TEST_CASE("all mistakes of a list are told in one run, by whatever command reads it") {
  for (const char* command : {"plan", "ops", "search", "sweep"}) {
    const Ran r = planned("kind: gru, kernel: 3, stride: 2, tables: [3]", command);
    CAPTURE(command);
    CHECK(r.status == 1);
    for (const char* what :
         {"missing required field model.operators[1].in", "has no 'kernel'", "has no 'stride'", "has no 'tables'"})
      CHECK_MESSAGE(r.err.find(what) != std::string::npos, r.err);
  }
}

TEST_CASE("a model's file is held to the same by itself") {
  const TestFolder folder;
  const std::string text = "name: bad\noperators:\n  - {name: a, kind: linear, out: 4, kernel: 3}\n";
  const std::string file = folder.add("models/bad.yaml", text);
  for (const char* command : {"show", "check"}) {
    const Ran r = ran({command, file});
    CAPTURE(command);
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.err.starts_with(file + ":3:5: error: missing required field model.operators[0].in\n"), r.err);
    CHECK(
        r.err.find(file + ":3:45: error: model.operators[0].kernel: an operator of kind 'linear' has no 'kernel'\n") !=
        std::string::npos);
  }
}

TEST_CASE("a choice of kinds is judged candidate by candidate") {
  const Ran open = planned("kind: [linear, convolution], in: [0, 4], kernel: 3", "sweep");
  CHECK_MESSAGE(open.status == 0, open.err);
  const Ran closed = planned("kind: linear, in: [4, 8], kernel: 3", "sweep");
  CHECK(closed.status == 1);
  CHECK(closed.err.find("an operator of kind 'linear' has no 'kernel'") != std::string::npos);
}

TEST_CASE("a resolved list writes the fields of each kind and no others, and plans to the same") {
  const Ran first =
      ran({"plan", "-", "--quiet", "--format", "json"}, scenario_of("kind: convolution, in: 4, kernel: 3"));
  REQUIRE(first.status == 0);
  const std::string resolved = resolved_scenario(first.out);
  CHECK(resolved.find("\"stride_width\"") != std::string::npos);
  CHECK(resolved.find("\"bidirectional\"") == std::string::npos);
  CHECK(all_but_unwritten(ran({"plan", "-", "--quiet", "--format", "json"}, resolved).out) ==
        all_but_unwritten(first.out));
}

TEST_CASE("the page's table names the fields that each kind may have") {
  std::ifstream in(std::string(TRAINPLAN_SOURCE_DIR) + "/docs/language.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::string table = page.substr(page.find("| kind | what it does to each of its `rows` |"));
  const std::string rows = table.substr(0, table.find("\n\n"));
  const std::regex words("`([a-z_-]+)`");
  for (const FixedKind kind : kinds()) {
    const KindFields& row = planner::fields_of(kind);
    const size_t at = rows.find(std::string("`") + word(kind) + "`");
    REQUIRE_MESSAGE(at != std::string::npos, word(kind));
    const std::string line = rows.substr(at, rows.find('\n', at) - at);
    std::vector<std::string> named;
    for (std::sregex_iterator it(line.begin(), line.end(), words), end; it != end; ++it) named.push_back((*it)[1]);
    CAPTURE(line);
    for (const auto& [name, value] : kFields)
      CHECK(holds(named, name) == (holds(row.needs, name) || holds(row.may, name)));
  }
}
