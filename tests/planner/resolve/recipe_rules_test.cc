// Mistakes in a rule of a software profile, each reported at its place.
#include "planner/resolve/recipe_rules.h"

#include <doctest/doctest.h>

#include "tests/planner/sample.h"

namespace {

/// The rules of a profile's text, with the messages.
struct Rules {
  explicit Rules(const std::string& text) {
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    const dsl::Source& source = sources.emplace_back(dsl::Source{"t.yaml", text, "/nonexistent"});
    tree = dsl::load(source, {}, planner::scenario_pulls(), catalog, sources, diagnostics);
    rules = planner::take_recipes(tree, diagnostics);
    program = planner::take_program_rules(tree, diagnostics);
    for (const dsl::Diagnostic& d : diagnostics.list) told += dsl::render(d);
  }
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Node tree;
  std::vector<planner::Recipe> rules, program;
  std::string told;
};

/// A rule whose first line is line 3, followed by the others.
std::string rule(const std::string& lines) { return "software:\n  recipes:\n    - " + lines + "\n"; }

struct Case {
  std::string text;
  const char *place, *message;
};

void check_told(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Rules r(c.text);
    INFO(c.text, "\n", r.told);
    CHECK(r.diagnostics.has_errors());
    CHECK(r.told.find(c.place) != std::string::npos);
    CHECK(r.told.find(c.message) != std::string::npos);
  }
}

const std::string kSet = "\n      source: x\n      set: {parallelism.zero: 1}";

}  // namespace

TEST_CASE("a rule of another shape is reported") {
  check_told({
      {"software:\n  recipes: 3\n", "t.yaml:2:3", "expected a list of rules after 'recipes'"},
      {"software:\n  recipes: {when: tp > 1}\n", "t.yaml:2:3", "expected a list of rules after 'recipes'"},
      {rule("some words"), "t.yaml:3:7", "expected a map of when, from, until, source and set"},
      {rule("[a, b]"), "t.yaml:3:7", "expected a map of when, from, until, source and set"},
      {rule("source: x"), "t.yaml:3:7", "expected a map of fields under 'set'"},
      {rule("source: x\n      set: zero"), "t.yaml:4:12", "expected a map of fields under 'set'"},
      {rule("source: x\n      set: [zero]"), "t.yaml:4:12", "expected a map of fields under 'set'"},
  });
}

TEST_CASE("an unknown key of a rule is reported, with the key that it resembles") {
  check_told({
      {rule("wen: tp > 1" + kSet), "t.yaml:3:7", "unknown key 'wen' of a recipe"},
      {rule("wen: tp > 1" + kSet), "t.yaml:3:7", "when"},
      {rule("form: 25.09" + kSet), "t.yaml:3:7", "unknown key 'form' of a recipe"},
      {rule("sets: {}" + kSet), "t.yaml:3:7", "unknown key 'sets' of a recipe"},
  });
}

TEST_CASE("a condition that is none is reported") {
  check_told({
      {rule("when: tp" + kSet), "t.yaml:3:13", "expected a condition"},
      {rule("when: 1 + 2" + kSet), "t.yaml:3:13", "expected a condition"},
      {rule("when: model.family" + kSet), "t.yaml:3:13", "expected a condition"},
      {rule("when: tp + 1" + kSet), "t.yaml:3:13", "compare it with something"},
      {rule("when: [tp > 1]" + kSet), "t.yaml:3:13", "expected a condition under 'when'"},
      {rule("when: {tp: 1}" + kSet), "t.yaml:3:13", "expected a condition under 'when'"},
      {rule("when: model.famly == \"a\"" + kSet), "t.yaml:3:13", "model.famly"},
      {rule("when: tp >" + kSet), "t.yaml:3:", "error"},
      {rule("when: (tp > 1" + kSet), "t.yaml:3:", "error"},
  });
}

TEST_CASE("an end that is no release is reported") {
  for (const char* key : {"from", "until"})
    for (const char* end : {"25", "25.9", "25.13", "25.00", "latest", "any", "25.09.1", "v25.09", "2025.09"}) {
      const Rules r(rule(std::string(key) + ": " + end + kSet));
      INFO(std::string(key), " ", std::string(end), "\n", r.told);
      CHECK(r.diagnostics.has_errors());
      const std::string expected = "expected a release after '" + std::string(key) + "', got '" + end + "'";
      CHECK(r.told.find(expected) != std::string::npos);
      CHECK(r.told.find(key[0] == 'f' ? "t.yaml:3:13" : "t.yaml:3:14") != std::string::npos);
      CHECK(r.told.find("write year and month") != std::string::npos);
    }
}

TEST_CASE("a rule that no release can have is reported") {
  check_told({{rule("from: 25.09\n      until: 25.07" + kSet), "t.yaml:4:14", "no release lies from 25.09 until 25.07"},
              {rule("from: 26.02\n      until: 25.x" + kSet), "t.yaml:4:14", "the rule would never hold"}});
  for (const char* until : {"25.09", "25.09.01", "25.x", "26.01"})
    CHECK(Rules(rule("from: 25.09\n      until: " + std::string(until) + kSet)).told == "");
}

TEST_CASE("a field that no rule may set is reported") {
  check_told({
      {rule("source: x\n      set: {parallelism.zeroo: 1}"), "t.yaml:4:13", "unknown field 'parallelism.zeroo'"},
      {rule("source: x\n      set: {parallelism.zeroo: 1}"), "t.yaml:4:13", "parallelism.zero"},
      {rule("source: x\n      set: {cluster.gpus: 4}"), "t.yaml:4:13", "no recipe may set 'cluster.gpus'"},
      {rule("source: x\n      set: {software.attention: te}"), "t.yaml:4:13", "no recipe may set"},
      {rule("source: x\n      set: {tp: 2}"), "t.yaml:4:13", "no recipe may set 'tp'"},
  });
}

TEST_CASE("a value of another shape, or of unknown names, is reported") {
  check_told({
      {rule("source: x\n      set: {parallelism.zero: [1, 2]}"), "t.yaml:4:31", "expected one value for each field"},
      {rule("source: x\n      set: {parallelism.zero: {a: 1}}"), "t.yaml:4:31", "expected one value for each field"},
      {rule("source: x\n      set: {parallelism.zero: tpp + 1}"), "t.yaml:4:31", "tpp"},
      {rule("source: x\n      set: {parallelism.recompute: selectiv}"), "t.yaml:4:36", "selectiv"},
  });
}

TEST_CASE("a value without a source is reported, and a comment is one") {
  check_told({{rule("set: {parallelism.zero: 1}"), "t.yaml:3:13", "no source says that a recipe sets"},
              {rule("source: ''\n      set: {parallelism.zero: 1}"), "t.yaml:4:13", "write source: beside 'when'"}});
  const Rules r(rule("set:\n        parallelism.zero: 1   # its script"));
  INFO(r.told);
  CHECK_FALSE(r.diagnostics.has_errors());
  REQUIRE(r.rules.size() == 1);
  REQUIRE(r.rules[0].sets.size() == 1);
  CHECK(r.rules[0].sets[0].source == "its script");
}

TEST_CASE("each mistake of a file is reported, not the first alone") {
  const Rules r(rule("wen: 1\n      from: 25\n      until: x\n      set: {parallelism.zeroo: 1}"));
  INFO(r.told);
  CHECK(r.diagnostics.list.size() == 5);
}

TEST_CASE("a good rule is read as it is written, and leaves the tree") {
  const Rules r(rule("when: tp > 1\n      from: 25.09\n      until: 26.x" + kSet));
  INFO(r.told);
  CHECK_FALSE(r.diagnostics.has_errors());
  REQUIRE(r.rules.size() == 1);
  CHECK(r.rules[0].when.text == "tp > 1");
  CHECK(r.rules[0].from == "25.09");
  CHECK(r.rules[0].until == "26.x");
  CHECK(r.rules[0].releases.from == planner::parse_release("25.09"));
  CHECK(r.rules[0].releases.until == planner::parse_release("26.x"));
  REQUIRE(r.rules[0].sets.size() == 1);
  CHECK(r.rules[0].sets[0].field == "parallelism.zero");
  CHECK(r.rules[0].sets[0].source == "x");
  const dsl::Node* software = r.tree.find("software");
  CHECK((!software || !software->find("recipes")));
}

TEST_CASE("a profile without rules has none") {
  for (const char* text : {"software:\n  recipes:\n", "model: {use: gpt3-13b}\n"}) {
    const Rules r(text);
    INFO(std::string(text), r.told);
    CHECK(r.rules.empty());
    CHECK_FALSE(r.diagnostics.has_errors());
  }
}

TEST_CASE("a rule may set single values of the model, the job, the software and the layout") {
  for (const char* path : {"model.vocab", "model.mtp", "parallelism.zero", "software.experts.overlap",
                           "job.routing.capacity", "parallelism.recompute", "software.selective"}) {
    CAPTURE(path);
    CHECK(planner::recipe_field(path) != nullptr);
  }
  for (const char* path : {"cluster.gpus", "software.attention", "model.family", "tp", "", "goal.minimize",
                           "parallelism.stages", "parallelism.offload.modules"}) {
    CAPTURE(path);
    CHECK(planner::recipe_field(path) == nullptr);
  }
}

TEST_CASE("what a program asks: a bare condition, or a map of one with its releases") {
  const Rules r(
      "software:\n  rules:\n    - tp <= 8  # one node\n    - {when: pp > 1, needs: microbatch == 1, from: 25.09, "
      "source: x}\n");
  INFO(r.told);
  REQUIRE(r.program.size() == 2);
  CHECK(r.program[0].needs.text == "tp <= 8");
  CHECK(r.program[0].source == "one node");
  CHECK(r.program[1].when.text == "pp > 1");
  CHECK(r.program[1].from == "25.09");
  CHECK(r.program[1].source == "x");
  const auto rule_of = [](const std::string& lines) { return "software:\n  rules:\n    - " + lines + "\n"; };
  check_told({
      {"software:\n  rules: 3\n", "t.yaml:2:3", "expected a list of rules after 'rules'"},
      {rule_of("[a]"), "t.yaml:3:7", "expected a map of when, from, until, source and needs"},
      {rule_of("{when: tp > 1, source: x}"), "t.yaml:3:7", "expected a condition under 'needs'"},
      {rule_of("{needs: tp > 1}"), "t.yaml:3:15", "no source says that a program asks this"},
      {rule_of("{neds: tp > 1, source: x}"), "t.yaml:3:8", "unknown key 'neds' of a recipe"},
      {rule_of("{needs: tpp > 1, source: x}"), "t.yaml:3:15", "unknown name 'tpp'"},
      {rule_of("{needs: tp, source: x}"), "t.yaml:3:15", "expected a condition, got a plain number"},
      {rule_of("{needs: tp > 1, from: now, source: x}"), "t.yaml:3:29", "expected a release after 'from'"},
  });
}
