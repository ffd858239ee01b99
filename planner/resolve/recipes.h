// The way of a profile's recipes (recipe_rules.h) into a scenario. What the scenario itself writes wins over each rule,
// a rule over what files of the catalogue say and over defaults. A rule becomes the expression of the field that it
// sets - `if(condition, value, what it would be)` - so that it follows each candidate of a search.
#pragma once

#include <string>
#include <vector>

#include "planner/resolve/recipe_rules.h"

namespace planner {

/// What the rules of a release say of one field.
struct RecipeUse {
  struct RecipeRule {
    std::string condition;  // an expression; empty: always
    std::string source;
  };
  std::string field;
  std::vector<RecipeRule> rules;  // of which the last that holds counts
};

/// The fields that rules of the release may set.
std::vector<std::string> ruled_fields(const std::vector<RecipeUse>& uses);

/// Whether anything stands at `software.release`.
bool names_release(const dsl::Node& tree);

/// Writes what the rules of `software.release` say into the tree, but for fields of `written`: what the scenario itself
/// writes. Without a release nothing. A release of another form is diagnosed.
std::vector<RecipeUse> apply_recipes(dsl::Node& tree, const dsl::Node& written, const std::vector<Recipe>& recipes,
                                     dsl::Diagnostics& diagnostics);

/// Writes what the program of `software.release` asks of a layout into the tree, as conditions with their sources
/// behind them (kProgramRules). Without a release, or with `any`, it is what its newest one asks.
void apply_program_rules(dsl::Node& tree, const std::vector<Recipe>& rules);

/// The fields that a rule did set. REQUIRES: the record is evaluated from the tree that `uses` were written to.
std::vector<RecipeField> applied_recipes(const std::vector<RecipeUse>& uses, const dsl::Record& record);

/// Where `job.lora.rank` is written and `job.task` is not, the rank says the task.
void imply_task(dsl::Node& tree);

}  // namespace planner
