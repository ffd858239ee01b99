#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/pages/study_pages.h"
#include "cli/report/row_fields.h"
#include "planner/studies/recipes/recipes.h"

namespace cli {
namespace {

using planner::RecipeScore;

/// "pp 8 to 2, interleave 1 to 20".
std::string differences_of(const RecipeScore& s) {
  return text_list(s.differences, [](const auto& difference) {
    const auto& [field, recipe, best] = difference;
    return fmt::format("{} {} to {}", field, recipe, best);
  });
}

/// null: there are no figures.
template <class T> auto scored(T RecipeScore::*figure) {
  return [figure](const RecipeScore& s) { return s.skipped.empty() ? Data(s.*figure) : Data(); };
}

Table score_table(const std::vector<RecipeScore>& scores) {
  const auto outside = [](const RecipeScore& s) { return fmt::format("{}", fmt::join(s.outside, "; ")); };
  const RowFields<RecipeScore> fields{
      {"id", &RecipeScore::id},
      {"measured_seconds", &RecipeScore::measured_seconds, Unit::seconds, "measured", 6},
      {"recipe_seconds", scored(&RecipeScore::recipe_seconds), Unit::seconds, "recipe"},
      {"best_seconds", scored(&RecipeScore::best_seconds), Unit::seconds, "best"},
      {"gain", scored(&RecipeScore::gain), Unit::fraction},
      {"told_apart", scored(&RecipeScore::told_apart), Unit::text, "apart"},
      {"recipe_memory", scored(&RecipeScore::recipe_memory), Unit::fraction, "recipe fills", 8},
      {"best_memory", scored(&RecipeScore::best_memory), Unit::fraction, "best fills", 7},
      {"differences", or_null(differences_of), Unit::text, "recipe to best", 1},
      {"infeasible", or_null(&RecipeScore::infeasible), Unit::text, "", 4},
      {"outside", or_null(outside), Unit::text, "", 5},
      {"skipped", or_null(&RecipeScore::skipped), Unit::text, "", 3},
  };
  return fields.table(scores);
}

Data::Object summary(const planner::RecipeFigures& f) {
  return {{"problems", f.problems},       {"scored", f.scored},
          {"median_gain", f.median_gain}, {"gain_90", f.gain_90},
          {"told_apart", f.told_apart},   {"infeasible", f.infeasible},
          {"outside", f.outside},         {"recipe_memory", f.recipe_memory},
          {"best_memory", f.best_memory}};
}

Table summary_table(const planner::RecipeFigures& f) {
  const auto percent = [](const std::optional<double>& x) { return figure(x, Unit::fraction); };
  Table t = fact_table("Summary");
  t.rows = {{"problems", fmt::format("{}, {} scored", f.problems, f.scored)},
            {"predicted gain, median", percent(f.median_gain)},
            {"90th percentile", percent(f.gain_90)},
            {"told apart", fmt::format("{} problems", f.told_apart)},
            {"recipe infeasible", fmt::format("{} problems", f.infeasible)},
            {"recipe outside the space", fmt::format("{} problems", f.outside)},
            {"memory, recipes and best plans", percent(f.recipe_memory) + ", " + percent(f.best_memory)}};
  return t;
}

}  // namespace

Report recipes_report(const std::vector<RecipeScore>& scores) {
  const planner::RecipeFigures figures = figures_of(scores);
  Report report{.format = "trainplan.recipes/1",
                .document = {{"rows", Data::List{}}, {"summary", summary(figures)}},
                .key = "rows",
                .table = score_table(scores)};
  report.text = {report.table, summary_table(figures)};
  return report;
}

}  // namespace cli
