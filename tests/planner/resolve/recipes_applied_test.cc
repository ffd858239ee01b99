// The recipes that a page prints as applied are those in the computation: over all rules of all profiles, in every
// precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "dsl/write.h"
#include "planner/resolve/read.h"
#include "planner/resolve/recipe_rules.h"
#include "tests/planner/sample.h"

namespace {

using planner::RecipeField;

std::string job_text(const std::string& software, const char* precision, const char* optimizer) {
  return "model: {layers: 4, hidden: 1024, heads: 8, vocab: 1024}\njob: {sequence: 512, global_batch: 16, precision: " +
         std::string(precision) + ", optimizer: " + optimizer +
         "}\ncluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: " + software +
         ", release: any}\nparallelism: {tp: 2, zero: 1}\n";
}

/// The values that the profile's rules write as plain numbers and words, for a field and with a source.
std::vector<RecipeField> written_by(const std::string& software) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  const dsl::Source& source =
      sources.emplace_back(dsl::Source{"t.yaml", "software: {use: " + software + "}\n", "/nonexistent"});
  dsl::Node tree = dsl::load(source, {}, planner::scenario_pulls(), catalog, sources, diagnostics);
  std::vector<RecipeField> out;
  for (const planner::Recipe& recipe : planner::take_recipes(tree, diagnostics, planner::Checks::own))
    for (const planner::RecipeSet& set : recipe.sets)
      if (set.value.text.find_first_of(" (.") == std::string::npos)
        out.push_back({set.field, set.value.text, set.source});
  return out;
}

}  // namespace

TEST_CASE("a rule that is told as applied says the value that the plan has") {
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  size_t told = 0;
  for (const std::string& software : dsl::catalog_names(catalog, "software")) {
    const std::vector<RecipeField> written = written_by(software);
    for (const char* precision : {"fp32", "tf32", "fp16", "bf16"})
      for (const char* optimizer : {"adam", "sgd"}) {
        dsl::Sources sources;
        dsl::Diagnostics diagnostics;
        const dsl::Source& source =
            sources.emplace_back(dsl::Source{"t.yaml", job_text(software, precision, optimizer), "/nonexistent"});
        const auto loaded = planner::read_scenario(source, {}, catalog, sources, diagnostics);
        if (!loaded) continue;  // the program has no such job
        for (const RecipeField& rule : loaded->recipe) {
          INFO(software, " ", std::string(precision), " ", std::string(optimizer), " ", rule.field);
          const auto same = [&](const RecipeField& w) { return w.field == rule.field && w.source == rule.source; };
          const auto at = std::ranges::find_if(written, same);
          if (at == written.end() || std::ranges::count_if(written, same) > 1) continue;  // an expression, or a choice
          CHECK(dsl::to_text(loaded->record.find(rule.field)->value) == at->value);
          ++told;
        }
      }
  }
  CHECK(told >= 40);
}

TEST_CASE("of SGD in 32 bits a rule's states are those of the plan, and fp32 says what no rule does") {
  const auto bytes = [](const char* optimizer, const char* field) {
    const planner::LoadedScenario loaded = sample::load(job_text("tf-horovod", "fp32", optimizer));
    return dsl::to_text(loaded.record.find(field)->value);
  };
  CHECK(bytes("sgd", "software.memory.optimizer") == "4");
  CHECK(bytes("adam", "software.memory.optimizer") == "8");
  CHECK(bytes("sgd", "software.memory.gradient") == "4");
}
