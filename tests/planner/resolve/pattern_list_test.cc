// `model.pattern` as a list of kinds: the equivalent text, letters of kinds without one, and mistakes.
#include <doctest/doctest.h>

#include <string>

#include "planner/scenario/model.h"
#include "tests/planner/sample.h"

namespace {

std::string text(const std::string& pattern, const std::string& kinds, int layers) {
  return "model: {hidden: 1024, heads: 16, vocab: 32000, layers: " + std::to_string(layers) + ", pattern: " + pattern +
         ", kinds: " + kinds +
         "}\njob: {sequence: 1024, global_batch: 8}\ncluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: "
         "megatron-core}\n";
}

constexpr const char* kKinds = "[{use: gated-delta}, {use: attention}, {use: mlp}]";  // letters G * -

struct FormCase {
  const char *list, *pattern;
  int layers;
};
constexpr FormCase kForms[] = {
    {"[{kind: attention}]", "*", 1},
    {"[{kind: gated-delta, count: 3}, {kind: attention}]", "Gx3*", 4},
    {"[{repeat: [{kind: gated-delta, count: 3}, {kind: attention}], count: 12}]", "(Gx3*)x12", 48},
    {"[{kind: mlp, count: 2}, {repeat: [{repeat: [{kind: gated-delta}, {kind: mlp}], count: 2}, {kind: attention}], "
     "count: 3}]",
     "-x2((G-)x2*)x3", 17},
    {"[{repeat: [{kind: mlp}]}]", "(-)", 1},
    {"[{kind: mlp, count: 100000}]", "-x100000", 100000},
};

std::vector<dsl::Diagnostic> told(const std::string& scenario) {
  const dsl::Source source{"a.yaml", scenario, "/nonexistent"};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  CHECK(!planner::read_scenario(source, {}, dsl::Catalog{planner::builtin_catalog(), {}}, sources, diagnostics));
  return diagnostics.list;
}

}  // namespace

TEST_CASE("a list of kinds is the text that it stands for, and plans alike") {
  for (const FormCase& c : kForms) {
    CAPTURE(std::string(c.list));
    const planner::Model listed = sample::scenario(text(c.list, kKinds, c.layers)).model;
    CHECK(listed.pattern == c.pattern);
    CHECK(planner::parameters(listed) ==
          planner::parameters(sample::scenario(text('"' + std::string(c.pattern) + '"', kKinds, c.layers)).model));
  }
}

TEST_CASE("a kind that a list names needs no letter: it gets the first that is free") {
  const char* const kinds =
      "[{name: wide, ffn: 8192}, {name: local, window: 512, letter: B}, {name: plain}, {use: mlp}]";
  const planner::Model m =
      sample::scenario(text("[{kind: plain}, {kind: local}, {kind: wide}, {kind: mlp}]", kinds, 4)).model;
  CHECK(m.pattern == "CBA-");
  CHECK(m.kinds[0].letter == "A");
  CHECK(m.kinds[1].letter == "B");
  CHECK(m.kinds[2].letter == "C");
}

TEST_CASE("a list in --set, and over the text of a model of the catalogue") {
  const planner::Scenario set =
      sample::scenario(text("G*", kKinds, 2), {"model.pattern=[{kind: mlp}, {kind: attention}]"});
  CHECK(set.model.pattern == "-*");
  const char* const over = R"(
model: {use: nemotron-3-nano-30b-a3b, layers: 4, pattern: [{repeat: [{kind: mamba2}, {kind: experts}], count: 2}]}
job: {sequence: 1024, global_batch: 8}
cluster: {use: dgx-h100, gpus: 8}
software: {use: megatron-core}
)";
  CHECK(sample::scenario(over).model.pattern == "(ME)x2");
}

TEST_CASE("a diagnostic of a list of kinds points at the mistake") {
  const auto check = [](const char* list, const char* kinds, int layers, int column, const std::string& message,
                        const std::string& hint) {
    CAPTURE(std::string(list));
    const std::vector<dsl::Diagnostic> found = told(text(list, kinds, layers));
    REQUIRE(found.size() >= 1);
    CHECK(found[0].message == message);
    CHECK(found[0].hint == hint);
    CHECK(found[0].span.line == 1);
    CHECK(found[0].span.column == column);
  };
  const std::string before = text("", "", 4).substr(0, text("", "", 4).find("pattern: "));
  const int at = static_cast<int>(before.size()) + 10;  // where the list begins
  const std::string forms = "an entry is '{kind: NAME, count: 3}' or '{repeat: [...], count: 3}'";
  check("[{kind: atention}]", kKinds, 4, at + 8, "no kind of layers is called 'atention'", "did you mean 'attention'?");
  check("[{kind: rwkv}]", kKinds, 4, at + 8, "no kind of layers is called 'rwkv'",
        "kinds of the model: gated-delta, attention, mlp");
  check("[{kind: mlp, count: 0}]", kKinds, 4, at + 20, "expected a count of 1 or more, got '0'",
        "a plain number: leave 'count' out where it is 1");
  check("[{kind: mlp, count: tp}]", kKinds, 4, at + 20, "expected a count of 1 or more, got 'tp'",
        "a plain number: leave 'count' out where it is 1");
  check("[{kind: mlp, cuont: 3}]", kKinds, 4, at + 13, "unknown key 'cuont' in an entry of model.pattern",
        "did you mean 'count'?");
  check("[{kind: mlp}, mlp]", kKinds, 4, at + 14, "expected a kind or a repeat as an entry of model.pattern",
        "write '{kind: mlp}'");
  check("[{count: 3}]", kKinds, 4, at + 1, "expected a kind or a repeat as an entry of model.pattern", forms);
  check("[{repeat: mlp, count: 3}]", kKinds, 4, at + 10, "expected a list of entries below 'repeat'", forms);
  check("[{kind: mlp, count: 2}]", kKinds, 4, at, "model.pattern has 2 layers, model.layers is 4",
        "write '[{repeat: [{kind: mlp, count: 2}], count: 2}]'");
  check("[{kind: mlp, count: 3}]", kKinds, 4, at, "model.pattern has 3 layers, model.layers is 4",
        "counts of its entries that make 4, or 'layers: 3'");
  check("[{kind: mlp, count: 100001}]", kKinds, 4, at + 1, "model.pattern has more than 100000 layers",
        "make its counts smaller");
  check("[{repeat: [{kind: mlp, count: 90000}], count: 90000}]", kKinds, 4, at + 1,
        "model.pattern has more than 100000 layers", "make its counts smaller");
  check("[{kind: block}]", "[{use: block}, {use: block, letter: W, window: 64}]", 1, at + 8,
        "several kinds of layers are called 'block'",
        "give each its own name below 'kinds': '{use: KIND, name: local}'");
}
