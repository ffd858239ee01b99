// Compares layouts that vendors published as their best with those that a search finds for the same job.
//
//     predicted gain = 1 - best / recipe            steps as planned, of the search's best plan and of the recipe
//
// A vendor tunes by measuring. A large gain is therefore valuable or, more often, an error of the model that the search
// exploits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/resolve/read.h"

namespace planner {

/// A job with its published layout, and the same with its layout left to a search.
struct RecipeProblem {
  std::string id;
  std::optional<double> measured_seconds;
  const dsl::Source *recipe = nullptr, *open = nullptr;
};

/// A field of the layout in which the best plan differs from the recipe.
struct LayoutDifference {
  std::string field, recipe, best;  // "pp", "8", "2"
};

struct RecipeScore {
  std::string id;
  std::optional<double> measured_seconds;
  std::string skipped;  // why there are no figures; empty: there are
  double recipe_seconds = 0, best_seconds = 0, gain = 0;
  double recipe_memory = 0, best_memory = 0;  // shares of the device
  bool told_apart = false;                    // the two steps differ by more than the models are unsure of
  std::string infeasible;                     // why the plan of the recipe is; empty: it is not
  std::vector<std::string> outside;           // "ep 64: the search has 1, 2, 4": choices that lack the recipe's value
  std::vector<LayoutDifference> differences;
};

struct RecipeFigures {
  int64_t problems = 0, scored = 0;
  std::optional<double> median_gain, gain_90;        // nearest ranks of the fiftieth and ninetieth percentile
  std::optional<double> recipe_memory, best_memory;  // means
  int64_t told_apart = 0, infeasible = 0, outside = 0;
};

/// Plans the recipe, searches, compares. A scenario that cannot be read is skipped with its first mistake.
RecipeScore score_recipe(const RecipeProblem& problem, const std::vector<dsl::Override>& overrides,
                         const dsl::Catalog& catalog, dsl::Sources& sources);
RecipeFigures figures_of(const std::vector<RecipeScore>& scores);

}  // namespace planner
