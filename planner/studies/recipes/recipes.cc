#include "planner/studies/recipes/recipes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dsl/write.h"
#include "planner/plan/goals.h"
#include "planner/plan/plan.h"
#include "planner/plan/results.h"
#include "planner/resolve/with_layout.h"
#include "planner/search/rank_plans.h"

namespace planner {
namespace {

std::string value_in(const dsl::Record& record, const std::string& path) {
  return dsl::write_value(record.find(path)->value);
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// The two sides of a problem, read.
struct Sides {
  LoadedScenario recipe;
  WithLayout open;
};

std::optional<Sides> read_sides(const RecipeProblem& problem, const std::vector<dsl::Override>& overrides,
                                const dsl::Catalog& catalog, dsl::Sources& sources, std::string& why) {
  dsl::Diagnostics mistakes;
  auto recipe = read_scenario(*problem.recipe, overrides, catalog, sources, mistakes);
  auto open = recipe ? read_with_layout({*problem.open, overrides, catalog, sources}, Opens::unwritten, mistakes)
                     : std::nullopt;
  if (open) return Sides{*std::move(recipe), *std::move(open)};
  why = mistakes.first_error();
  return std::nullopt;
}

/// Each choice is evaluated with the preceding ones set as in the recipe: dependent values are then correct.
std::vector<std::string> outside_of(const Sides& sides, const ScenarioText& text) {
  std::vector<std::string> out;
  Sets chosen;
  for (const std::string& path : choice_names(sides.open.scenario.space)) {
    const std::string value = value_in(sides.recipe.record, path);
    dsl::Diagnostics unasked;
    const auto open =
        read_open_scenario(text.source, sides.open.overrides, text.catalog, text.sources, unasked, chosen);
    if (!open) return out;
    for (const dsl::OpenItem& item : open->space.items()) {
      if (item.path != path) continue;
      std::vector<std::string> offered;
      for (const dsl::Value& each : item.values) offered.push_back(dsl::write_value(each));
      if (!offered.empty() && std::ranges::find(offered, value) == offered.end())
        out.push_back(fmt::format("{} {}: the search has {}", last_name(path), value, fmt::join(offered, ", ")));
    }
    chosen.emplace_back(path, value);
  }
  return out;
}

std::vector<LayoutDifference> differences(const Sides& sides, const Found& best) {
  std::vector<LayoutDifference> out;
  const std::vector<std::string> names = choice_names(sides.open.scenario.space);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string recipe = value_in(sides.recipe.record, names[i]), other = dsl::write_value(best.choices[i]);
    if (recipe != other) out.push_back({last_name(names[i]), recipe, other});
  }
  return out;
}

void compare(const Plan& plan, const Parallelism& layout, const Found& best, const TieLaw& law, RecipeScore& score) {
  const Results recipe = results_of(plan), &found = best.results;
  score.recipe_seconds = recipe.step.seconds, score.best_seconds = found.step.seconds;
  score.gain = 1 - score.best_seconds / score.recipe_seconds;
  score.told_apart = !are_tied({recipe.step.seconds, recipe.step.seconds, &recipe.errors, &layout},
                               {found.step.seconds, found.step.seconds, &found.errors, &best.parallelism}, law);
  const auto share = [](const Results& r) { return r.peak_bytes / (r.peak_bytes + r.headroom_bytes); };
  score.recipe_memory = share(recipe), score.best_memory = share(found);
}

}  // namespace

RecipeScore score_recipe(const RecipeProblem& problem, const std::vector<dsl::Override>& overrides,
                         const dsl::Catalog& catalog, dsl::Sources& sources) {
  RecipeScore score{.id = problem.id, .measured_seconds = problem.measured_seconds};
  const auto sides = read_sides(problem, overrides, catalog, sources, score.skipped);
  if (!sides) return score;
  const Plan plan = plan_with_goals(sides->recipe);
  if (!plan.feasible) score.infeasible = plan.violations.front().message;
  if (!plan.step) score.skipped = "the recipe has no plan: " + score.infeasible;
  const SearchResult found = ranked_search(sides->open.scenario, {.top = 1, .pareto = {}});
  if (found.plans.empty()) score.skipped = "the search has no plan";
  if (!score.skipped.empty()) return score;
  compare(plan, sides->recipe.scenario.parallelism, found.plans.front(), tie_law(sides->open.scenario), score);
  score.differences = differences(*sides, found.plans.front());
  score.outside = outside_of(*sides, {*problem.open, overrides, catalog, sources});
  return score;
}

RecipeFigures figures_of(const std::vector<RecipeScore>& scores) {
  RecipeFigures f{.problems = static_cast<int64_t>(scores.size())};
  std::vector<double> gains;
  double recipes = 0, bests = 0;
  for (const RecipeScore& s : scores) {
    f.infeasible += !s.infeasible.empty();
    if (!s.skipped.empty()) continue;
    gains.push_back(s.gain), recipes += s.recipe_memory, bests += s.best_memory;
    f.told_apart += s.told_apart, f.outside += !s.outside.empty();
  }
  f.scored = static_cast<int64_t>(gains.size());
  if (gains.empty()) return f;
  const auto count = static_cast<double>(gains.size());
  std::ranges::sort(gains);
  const auto percentile = [&](double share) { return gains[static_cast<size_t>(std::ceil(share * count)) - 1]; };
  f.median_gain = percentile(0.5), f.gain_90 = percentile(0.9);
  f.recipe_memory = recipes / count, f.best_memory = bests / count;
  return f;
}

}  // namespace planner
