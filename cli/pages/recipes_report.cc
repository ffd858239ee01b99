#include "cli/pages/recipes_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cli {
namespace {

using planner::RecipeScore;

std::vector<Column> columns() {
  return {{.name = "id", .rank = 0},
          {.name = "measured_seconds", .unit = Unit::seconds, .rank = 6, .heading = "measured"},
          {.name = "recipe_seconds", .unit = Unit::seconds, .rank = 0, .heading = "recipe"},
          {.name = "best_seconds", .unit = Unit::seconds, .rank = 0, .heading = "best"},
          {.name = "gain", .unit = Unit::fraction, .rank = 0},
          {.name = "told_apart", .rank = 0, .heading = "apart"},
          {.name = "recipe_memory", .unit = Unit::fraction, .rank = 8, .heading = "recipe fills"},
          {.name = "best_memory", .unit = Unit::fraction, .rank = 7, .heading = "best fills"},
          {.name = "differences", .rank = 1, .heading = "recipe to best"},
          {.name = "infeasible", .rank = 4},
          {.name = "outside", .rank = 5},
          {.name = "skipped", .rank = 3}};
}

Data text_or_null(const std::string& text) { return text.empty() ? Data() : Data(text); }

/// "pp 8 to 2, interleave 1 to 20".
std::string text_of(const std::vector<planner::LayoutDifference>& differences) {
  std::string out;
  for (const auto& [field, recipe, best] : differences)
    out += fmt::format("{}{} {} to {}", out.empty() ? "" : ", ", field, recipe, best);
  return out;
}

std::vector<Data> cells(const RecipeScore& s) {
  const auto scored = [&](Data figure) { return s.skipped.empty() ? std::move(figure) : Data(); };
  return {s.id,
          s.measured_seconds,
          scored(s.recipe_seconds),
          scored(s.best_seconds),
          scored(s.gain),
          scored(s.told_apart),
          scored(s.recipe_memory),
          scored(s.best_memory),
          text_or_null(text_of(s.differences)),
          text_or_null(s.infeasible),
          text_or_null(fmt::format("{}", fmt::join(s.outside, "; "))),
          text_or_null(s.skipped)};
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
  Table t{.title = "Summary", .columns = {{.name = "figure"}, {.name = "value"}}, .header = false};
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
  Report report{
      .format = "trainplan.recipes/1", .document = {}, .key = "rows", .table = {.columns = columns()}, .text = {}};
  for (const RecipeScore& s : scores) report.table.rows.push_back(cells(s));
  report.document = {{"rows", Data::List{}}, {"summary", summary(figures)}};
  report.text = {report.table, summary_table(figures)};
  return report;
}

}  // namespace cli
