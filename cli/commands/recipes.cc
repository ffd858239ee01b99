#include "planner/studies/recipes/recipes.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/commands/validate.h"
#include "cli/pages/study_pages.h"
#include "dsl/csv.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

std::string wrong_flag(const ValidateFlags& options) {
  if (options.common.inputs.size() > 1) return "--recipes takes one folder";
  return wrong_run_flag(options, "a folder of recipes");
}

/// A column of the table that repeats a field of the recipe.
struct RepeatedField {
  const char *column, *field;
};
constexpr RepeatedField kRepeated[] = {{"gpus", "cluster.gpus"},
                                       {"sequence", "job.sequence"},
                                       {"batch", "job.global_batch"},
                                       {"precision", "job.precision"},
                                       {"task", "job.task"}};

class ProblemReader {
 public:
  ProblemReader(const std::string& folder, Streams& streams, Session& session)
      : folder_(folder), streams_(streams), session_(session) {}

  std::vector<planner::RecipeProblem> read() {
    const dsl::Source* source = read_input((folder_ / "problems.csv").string(), streams_, session_);
    if (!source) return {};
    const dsl::CsvTable table = dsl::read_csv(*source, session_.diagnostics);
    const auto file = table.column("file"), id = table.column("id"), measured = table.column("measured_s");
    if (!file && !session_.diagnostics.has_errors())
      session_.diagnostics.error({source, 1, 1, 0}, "expected a column 'file'",
                                 "FILE-recipe.yaml and FILE-auto.yaml lie next to this table");
    if (session_.diagnostics.has_errors()) return {};
    std::vector<planner::RecipeProblem> problems;
    for (const std::vector<dsl::CsvCell>& row : table.rows) {
      const dsl::CsvCell& name = row[*file];
      planner::RecipeProblem problem{.id = id ? row[*id].text : name.text,
                                     .recipe = scenario(name, "-recipe.yaml"),
                                     .open = scenario(name, "-auto.yaml")};
      if (measured && !row[*measured].text.empty()) problem.measured_seconds = seconds(row[*measured]);
      if (!problem.recipe || !problem.open) continue;
      compare(table, row, *problem.recipe);
      problems.push_back(std::move(problem));
    }
    if (table.rows.empty()) session_.diagnostics.error({source, 1, 1, 0}, "the table has no rows");
    return problems;
  }

 private:
  /// A file that cannot be read is diagnosed at the cell that names it.
  const dsl::Source* scenario(const dsl::CsvCell& name, const char* ending) {
    const size_t told = session_.diagnostics.list.size();
    const dsl::Source* source = read_input((folder_ / (name.text + ending)).string(), streams_, session_);
    place_mistakes(told, name.span, session_.diagnostics);
    return source;
  }

  std::optional<double> seconds(const dsl::CsvCell& cell) {
    const std::optional<double> value = dsl::cell_number(cell.text);
    if (!value || *value <= 0) session_.diagnostics.error(cell.span, "expected seconds above 0, or nothing");
    return value;
  }

  void compare(const dsl::CsvTable& table, const std::vector<dsl::CsvCell>& row, const dsl::Source& recipe) {
    dsl::Diagnostics unasked;
    const auto loaded = planner::read_scenario(recipe, {}, session_.catalog, session_.sources, unasked);
    if (!loaded) return;  // score_recipe says why
    for (const auto& [column, field] : kRepeated) {
      const auto at = table.column(column);
      if (!at || row[*at].text.empty()) continue;
      const dsl::Value& value = loaded->record.find(field)->value;
      const auto* number = std::get_if<dsl::Number>(&value.v);
      const std::string& cell = row[*at].text;
      if (number ? dsl::cell_number(cell) == number->value : cell == dsl::to_text(value)) continue;
      session_.diagnostics.warning(row[*at].span, fmt::format("{} has {} {}", recipe.name, field, dsl::to_text(value)));
    }
  }

  std::filesystem::path folder_;
  Streams& streams_;
  Session& session_;
};

}  // namespace

int run_recipes(const ValidateFlags& options, Streams& streams) {
  if (const std::string wrong = wrong_flag(options); !wrong.empty()) return refuse_usage("validate", wrong, streams);
  Session session = open_session(options.common);
  const std::vector<planner::RecipeProblem> problems =
      ProblemReader(options.common.inputs.at(0), streams, session).read();
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const std::vector<dsl::Override> overrides = set_overrides(options.scenario);
  std::vector<planner::RecipeScore> scores;
  for (const planner::RecipeProblem& problem : problems)
    scores.push_back(planner::score_recipe(problem, overrides, session.catalog, session.sources));
  return print(recipes_report(scores), options.common, streams, "validate");
}

}  // namespace cli
