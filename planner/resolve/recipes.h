// Applies a profile's recipes (recipe_rules.h) to a scenario. The scenario's own text overrides each rule; a rule
// overrides files of the catalogue and defaults. A rule becomes the expression of the field that it sets,
// `if(condition, value, value without the rule)`, so that it follows each candidate of a search.
#pragma once

#include <string>
#include <vector>

#include "planner/resolve/recipe_rules.h"

namespace planner {

/// A release's rules about one field.
struct RecipeUse {
  struct RecipeRule {
    std::string condition;  // an expression; empty: always
    std::string source;
  };
  std::string field;
  std::vector<RecipeRule> rules;  // the last that holds counts
};

/// Returns the written value of a field in the form of an expression: a word in quotes.
std::string as_expression(const dsl::Field& field, const std::string& text);

/// The fields that rules of the release may set.
std::vector<std::string> ruled_fields(const std::vector<RecipeUse>& uses);

/// Whether `software.release` is set.
bool names_release(const dsl::Node& tree);

/// Writes the rules of `software.release` into the tree, except for fields of `written`: those in the scenario's own
/// text. Nothing without a release. A malformed release is diagnosed.
std::vector<RecipeUse> apply_recipes(dsl::Node& tree, const dsl::Node& written, const std::vector<Recipe>& recipes,
                                     dsl::Diagnostics& diagnostics);

/// Writes the requirements of the program of `software.release` into the tree, as conditions followed by their sources
/// (kProgramRules). Without a release, or with `any`, those of its newest one.
void apply_program_rules(dsl::Node& tree, const std::vector<Recipe>& rules);

/// The fields that a rule did set. REQUIRES: the record is evaluated from the tree that `uses` were written to.
std::vector<RecipeField> applied_recipes(const std::vector<RecipeUse>& uses, const dsl::Record& record);

/// If `job.lora.rank` is written and `job.task` is not, the rank determines the task.
void imply_task(dsl::Node& tree);

}  // namespace planner
