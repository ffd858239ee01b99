#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/input/catalogue.h"
#include "cli/pages/explain_report.h"
#include "dsl/raw_text.h"
#include "planner/scenario/scenario.h"

namespace cli {
namespace {

/// The field of this path, or those whose paths end so: "tp" is parallelism.tp.
std::vector<const dsl::Field*> fields_named(const std::string& name) {
  std::vector<const dsl::Field*> ending;
  for (const dsl::Field& f : planner::scenario_schema()) {
    if (f.path == name) return {&f};
    if (f.path.ends_with("." + name)) ending.push_back(&f);
  }
  return ending;
}

/// A figure by its name in expressions, or by its column.
const planner::ResultRow* figure_named(const std::string& name) {
  for (const planner::ResultRow& row : planner::result_figures())
    if (name == row.name || (row.about.column && name == row.about.column)) return &row;
  return nullptr;
}

void diagnose_unknown(const std::string& name, const std::vector<const dsl::Field*>& several,
                      dsl::Diagnostics& diagnostics) {
  std::vector<std::string> paths;
  for (const dsl::Field* f : several) paths.push_back(f->path);
  if (!several.empty())
    return diagnostics.error({}, fmt::format("{} fields end in '{}'", several.size(), name),
                             fmt::format("one of {}", fmt::join(paths, ", ")));
  for (const dsl::Field& f : planner::scenario_schema()) {
    paths.push_back(f.path);
    paths.emplace_back(dsl::last_part(f.path));
  }
  for (const planner::ResultRow& row : planner::result_figures()) paths.emplace_back(row.key());
  const std::string hint = dsl::did_you_mean(name, paths);
  diagnostics.error({}, "no field or figure '" + dsl::shortened(name) + "'",
                    hint.empty() ? "`trainplan list scenario-field` prints all fields" : hint);
}

int run_explain(const PlainFlags& options, Streams& streams) {
  Session session = open_session(options.common);
  const std::string name = any_item_path(options.common.inputs.at(0));
  const std::vector<const dsl::Field*> fields = fields_named(name);
  const planner::ResultRow* figure = figure_named(name);
  const bool is_field = fields.size() == 1 && (fields[0]->path == name || !figure);
  if (!is_field && !figure) diagnose_unknown(name, fields, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  return print(is_field ? explain_field(*fields[0], uses_of(*fields[0], session)) : explain_figure(*figure),
               options.common, streams, "explain");
}

constexpr Example kExplainExamples[] = {
    {"what a field means, its limits, who sets it", "trainplan explain parallelism.zero"},
    {"a figure of a plan", "trainplan explain mfu"},
};

}  // namespace

Command explain_command() {
  return command_of<kPlainFlags, run_explain>(
      {.name = "explain",
       .summary = "a field of a scenario: type, unit, default, limits, examples, where it is used",
       .argument = "FIELD",
       .examples = kExplainExamples});
}

}  // namespace cli
