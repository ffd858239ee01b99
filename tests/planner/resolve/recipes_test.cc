// What a profile's recipes set: by release, condition and order; what the scenario writes wins.
#include <doctest/doctest.h>

#include <algorithm>

#include "dsl/write.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "planner/resolve/recipe_rules.h"
#include "planner/search/candidate.h"
#include "tests/dsl/folder.h"
#include "tests/planner/sample.h"

namespace {

constexpr const char* kAcme = R"(# A profile with recipes.
extends: megatron-core
name: acme
overlap: {tensor: true}
recipes:
  - source: everywhere
    set:
      parallelism.zero: 1
  - when: model.family == "gpt3"
    from: 25.01
    until: 25.06
    source: the recipe of 2025
    set:
      parallelism.recompute: selective
      software.overlap.tensor: false   # the line's own source
      parallelism.zero: 2
  - when: tp > 1
    source: tensor ranks
    set:
      parallelism.sequence_parallel: true
      model.vocab: model.vocab + 128 * tp
)";

/// A scenario over the profile `acme`, closed or open, with the messages.
struct Reading {
  explicit Reading(std::string text, std::vector<std::string> sets = {}, const char* acme = kAcme) {
    files_.add("software/acme.yaml", acme);
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {files_.name()}};
    std::vector<dsl::Override> overrides;
    for (const std::string& set : sets) overrides.push_back({set});
    const dsl::Source& source = sources.emplace_back(dsl::Source{"test.yaml", std::move(text), "/nonexistent"});
    loaded = planner::read_scenario(source, overrides, catalog, sources, diagnostics);
    dsl::Diagnostics again;
    if (auto read = planner::read_open_scenario(source, overrides, catalog, sources, again))
      open.emplace(std::move(*read));
    for (const dsl::Diagnostic& d : diagnostics.list) told += dsl::render(d);
  }
  std::string value(const char* field) const { return dsl::to_text(loaded->record.find(field)->value); }
  std::string source_of(const std::string& field) const {
    for (const planner::RecipeField& f : loaded->recipe)
      if (f.field == field) return f.source;
    return "";
  }
  TestFolder files_;
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::optional<planner::LoadedScenario> loaded;
  std::optional<planner::OpenScenario> open;
  std::string told;
};

std::string text(const std::string& software, const std::string& layout = "{tp: 2}") {
  return "model: {use: gpt3-13b}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 16}\n"
         "software: {use: acme" +
         software + "}\nparallelism: " + layout + "\n";
}

}  // namespace

TEST_CASE("a rule holds in its releases and under its condition, a later one over an earlier") {
  struct Case {
    const char *release, *recompute, *zero, *sequence_parallel, *vocab;
  };
  for (const Case& c : {Case{"", "none", "0", "false", "51200"},
                        {", release: any", "none", "1", "true", "51456"},
                        {", release: 24.12", "none", "1", "true", "51456"},
                        {", release: 25.01", "selective", "2", "true", "51456"},
                        {", release: 25.06.02", "selective", "2", "true", "51456"},
                        {", release: '25.10'", "none", "1", "true", "51456"}}) {
    const Reading r(text(c.release));
    INFO(std::string(c.release), r.told);
    REQUIRE(r.loaded);
    CHECK(r.value("parallelism.recompute") == c.recompute);
    CHECK(r.value("parallelism.zero") == c.zero);
    CHECK(r.value("parallelism.sequence_parallel") == c.sequence_parallel);
    CHECK(r.value("model.vocab") == c.vocab);
  }
}

TEST_CASE("the rules that applied are told with their sources") {
  const Reading r(text(", release: 25.03"));
  REQUIRE(r.loaded);
  CHECK(r.source_of("parallelism.recompute") == "the recipe of 2025");
  CHECK(r.source_of("software.overlap.tensor") == "the line's own source");
  CHECK(r.source_of("parallelism.zero") == "the recipe of 2025");
  CHECK(Reading(text(", release: any")).source_of("parallelism.zero") == "everywhere");
  CHECK(Reading(text(", release: any", "{tp: 1}")).source_of("model.vocab") == "");
  CHECK(Reading(text("")).loaded->recipe.empty());
}

TEST_CASE("a rule wins over the catalogue, and what the scenario writes wins over the rule") {
  CHECK(Reading(text(", release: 25.03")).value("software.overlap.tensor") == "false");
  CHECK(Reading(text(", release: 25.03, overlap: {tensor: true}")).value("software.overlap.tensor") == "true");
  const Reading by_file(text(", release: 25.03", "{tp: 2, zero: 0, recompute: none}"));
  CHECK(by_file.value("parallelism.zero") == "0");
  CHECK(by_file.value("parallelism.recompute") == "none");
  const Reading by_set(text(", release: 25.03"), {"parallelism.zero=3", "model.vocab=51200"});
  CHECK(by_set.value("parallelism.zero") == "3");
  CHECK(by_set.value("model.vocab") == "51200");
  CHECK(Reading(text(", release: 25.03"), {"software.release=any"}).value("parallelism.zero") == "1");
}

TEST_CASE("a condition that reads an open field follows each candidate") {
  const Reading r(text(", release: any", "{tp: [1, 2]}"));
  REQUIRE(r.open);
  planner::Candidate candidate(*r.open);
  dsl::Cursor cursor(r.open->space);
  int seen = 0;
  while (cursor.next()) {
    const planner::Scenario& s = candidate.at(cursor);
    CHECK(s.parallelism.sequence_parallel == (s.parallelism.tp > 1));
    CHECK(s.model.vocab == (s.parallelism.tp > 1 ? 51200 + 256 : 51200));
    CHECK(s.parallelism.zero == 1);
    ++seen;
  }
  CHECK(seen == 2);
}

TEST_CASE("a release may be a choice") {
  const Reading r(text(", release: [24.12, 25.03]"));
  REQUIRE(r.open);
  planner::Candidate candidate(*r.open);
  dsl::Cursor cursor(r.open->space);
  std::vector<int64_t> zero;
  while (cursor.next()) zero.push_back(candidate.at(cursor).parallelism.zero);
  CHECK(zero == std::vector<int64_t>{1, 2});
}

TEST_CASE("the resolved scenario gives the same plan again") {
  const Reading first(text(", release: 25.03"));
  REQUIRE(first.loaded);
  const Reading again(dsl::write_yaml(dsl::resolved(first.loaded->record)));
  INFO(again.told);
  REQUIRE(again.loaded);
  CHECK(again.value("software.release") == "25.03");
  CHECK(again.loaded->recipe.empty());
  for (const auto& [path, slot] : first.loaded->record.slots) {
    const auto& said = path;
    CAPTURE(said);
    CHECK(again.loaded->record.find(path)->value == slot.value);
  }
  CHECK(planner::make_plan(again.loaded->scenario).step->seconds ==
        planner::make_plan(first.loaded->scenario).step->seconds);
}

TEST_CASE("the rank of adapters says the task, and the task a rank") {
  CHECK(sample::load(sample::kLlama, {"job.lora.rank=8"}).record.find("job.task")->value ==
        dsl::Value{std::string("lora")});
  CHECK(sample::load(sample::kLlama, {"job.lora.rank=0"}).scenario.job.task == planner::Task::pretrain);
  CHECK(sample::llama().job.task == planner::Task::pretrain);
  CHECK(sample::llama({"job.task=lora"}).job.lora.rank == 16);
  CHECK(sample::llama({"job.task=sft"}).job.lora.rank == 0);
}

TEST_CASE("a mistake in a release or in a rule is told at its place") {
  struct Case {
    std::string software, acme;
    const char *place, *message;
  };
  const auto rule = [](const std::string& lines) { return "name: acme\nrecipes:\n  - " + lines; };
  const std::vector<Case> cases{
      {", release: 25.9", kAcme, "test.yaml:4:32", "expected a release for software.release, got '25.9'"},
      {", release: [25.09, latest]", kAcme, "test.yaml:4:40", "expected a release for software.release, got 'latest'"},
      {"", rule("set: {parallelism.zero: 1}\n"), "acme.yaml:3:11",
       "no source says that a recipe sets parallelism.zero"},
      {"", rule("source: x\n    set: {parallelism.zeroo: 1}\n"), "acme.yaml:4:11", "unknown field 'parallelism.zeroo'"},
      {"", rule("source: x\n    set: {software.attention: te}\n"), "acme.yaml:4:11", "no recipe may set"},
      {"", rule("source: x\n    set: {cluster.gpus: 4}\n"), "acme.yaml:4:11", "no recipe may set 'cluster.gpus'"},
      {"", rule("source: x\n    when: model.famly == \"a\"\n    set: {parallelism.zero: 1}\n"), "acme.yaml:4:11",
       "model.famly"},
      {"", rule("source: x\n    when: tp\n    set: {parallelism.zero: 1}\n"), "acme.yaml:4:11", "expected a condition"},
      {"", rule("source: x\n    wen: tp > 1\n    set: {parallelism.zero: 1}\n"), "acme.yaml:4:5", "unknown key 'wen'"},
      {"", rule("source: x\n    from: 25\n    set: {parallelism.zero: 1}\n"), "acme.yaml:4:11", "expected a release"},
      {"", rule("source: x\n"), "acme.yaml:3:5", "expected a map of fields under 'set'"},
      {"", rule("x\n"), "acme.yaml:3:5", "expected a map of when, from, until, source and set"},
      {"", rule("source: x\n    set: {parallelism.zero: fast}\n"), "acme.yaml:4:29", "fast"},
      {", release: any", rule("source: x\n    set: {parallelism.zero: 2 GB}\n"), "acme.yaml:4:29", "parallelism.zero"},
      {", release: any", rule("source: x\n    set: {software.overlap.tensor: 3}\n"), "acme.yaml:4:36",
       "software.overlap.tensor"},
      {", release: any", rule("source: x\n    set: {parallelism.zero: 7}\n"), "acme.yaml:4:29", "parallelism.zero"},
  };
  for (const Case& c : cases) {
    const Reading r(text(c.software), {}, c.acme.c_str());
    INFO(c.acme, "\n", r.told);
    CHECK_FALSE(r.loaded);
    CHECK(r.told.find(c.place) != std::string::npos);
    CHECK(r.told.find(c.message) != std::string::npos);
  }
}

TEST_CASE("every rule of the catalogue can be read and has a source") {
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  size_t rules = 0, asked = 0;
  for (const std::string& name : dsl::catalog_names(catalog, "software")) {
    CAPTURE(name);
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    const dsl::Source& source = sources.emplace_back(dsl::Source{"t.yaml", "software: {use: " + name + "}\n", ""});
    dsl::Node tree = dsl::load(source, {}, planner::scenario_pulls(), catalog, sources, diagnostics);
    const std::vector<planner::Recipe> recipes = planner::take_recipes(tree, diagnostics);
    const std::vector<planner::Recipe> program = planner::take_program_rules(tree, diagnostics);
    for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
    CHECK(diagnostics.list.empty());
    for (const planner::Recipe& rule : program) {
      ++asked;
      CHECK(rule.source.size() > 10);
    }
    for (const planner::Recipe& recipe : recipes)
      for (const planner::RecipeSet& set : recipe.sets) {
        ++rules;
        CHECK(set.source.size() > 10);
        CHECK(planner::recipe_field(set.field) != nullptr);
      }
  }
  CHECK(rules > 50);
  CHECK(asked > 50);  // of all that extend megatron-core
}
