#include "cli/commands/validate.h"

#include <fmt/format.h>

#include <map>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/runs.h"
#include "cli/pages/study_pages.h"
#include "planner/studies/runs/score.h"

namespace cli {
namespace {

constexpr std::array kValidateRows{
    flag<&ValidateFlags::where>({"--where", "EXPR", "only the rows for which the expression holds"}),
    by_flag<&ValidateFlags::by>(),
    flag<&ValidateFlags::recipes>({"--recipes", "",
                                   "FILE is a folder of published layouts (problems.csv): what a search would gain on "
                                   "each, and whether that is more than the models are unsure of"}),
    flag<&ValidateFlags::max_mape>({"--max-mape", "X", "exit status 4 if the mean error is above X", Takes::number}),
};
constexpr auto kValidateFlags = data_flags(kValidateRows);

constexpr int kMostWarnings = 5;  // in full; of the rest the groups are named

using CountByGroup = std::map<std::string, int>;

void name_groups(const CountByGroup& more, Streams& streams) {
  int count = 0;
  std::string names;
  for (const auto& [group, n] : more) {
    names += fmt::format("{}{} of {}", names.empty() ? "" : ", ", n, group);
    count += n;
  }
  if (count > 0) streams.err << fmt::format("warning: {} more are predicted not to fit: {}\n", count, names);
}

/// A real run took place and fitted its GPUs; what says otherwise is worth a warning.
void warn_of_violations(const planner::Score& score, const ValidateFlags& options, Streams& streams) {
  if (options.common.quiet) return;
  int count = 0;
  CountByGroup more;
  for (const planner::ScoredRun& r : score.rows) {
    if (r.prediction.violations.empty()) continue;
    const planner::Violation& first = r.prediction.violations.front();
    if (first.rule == planner::kProgramRule)
      streams.err << fmt::format("warning: '{}' ran, and a rule of its program refuses it: {}\n", r.run.id,
                                 first.message);
    else if (++count <= kMostWarnings)
      streams.err << fmt::format("warning: '{}' is predicted not to fit: {}\n", r.run.id, first.message);
    else ++more[r.run.group];
  }
  name_groups(more, streams);
}

/// A wrong `--set` is wrong for every row alike: reported once.
bool bad_override(const planner::Score& score, Streams& streams) {
  for (const planner::ScoredRun& r : score.rows) {
    if (r.prediction.bad_override.empty()) continue;
    streams.err << r.prediction.bad_override;
    return true;
  }
  return false;
}

int check_limit(const planner::Figures& summary, const ValidateFlags& options, Streams& streams) {
  if (!options.max_mape) return kDone;
  if (summary.time.mape && *summary.time.mape <= *options.max_mape) return kDone;
  std::string found = summary.time.mape ? fmt::format("the mean absolute error is {:.4f}", *summary.time.mape)
                                        : "no time was predicted";
  streams.err << fmt::format("trainplan validate: {}, --max-mape is {}\n", found, *options.max_mape);
  return kAboveLimit;
}

/// Reads the table, selects by --where, predicts, prints. kAboveLimit if the mean error is above --max-mape, or if
/// nothing was predicted to hold against it. Scenario files are studies.
int run_validate(const ValidateFlags& options, Streams& streams) {
  if (options.recipes) return run_recipes(options, streams);
  if (has_scenario(options.common.inputs)) return run_studies(options, streams);
  if (options.common.inputs.size() > 1)
    return refuse_usage(
        "validate",
        fmt::format("unexpected argument '{}': one table of runs, or several studies", options.common.inputs[1]),
        streams);
  if (options.max_mape && !(*options.max_mape >= 0))
    return refuse_usage("validate", "--max-mape takes a fraction of 0 and more (0.15)", streams);
  Session session = open_session(options.common);
  std::vector<planner::Run> runs =
      read_selected_runs(options.common.inputs.at(0), {options.where, options.by}, streams, session).runs;
  if (runs.empty() && !session.diagnostics.has_errors())
    session.diagnostics.error({}, options.where.empty()
                                      ? "the table has no rows"
                                      : "--where selects none of the table's rows: '" + options.where + "'");
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  Stopwatch watch(options.common.timing, streams.err);
  std::vector<dsl::Override> overrides = set_overrides(options.scenario);
  planner::Score score = planner::score_runs(std::move(runs), session.catalog, overrides);
  if (bad_override(score, streams)) return kInvalidInput;
  watch.mark(fmt::format("{} rows", score.rows.size()));
  warn_of_violations(score, options, streams);
  if (int status = print(validate_report(score), options.common, streams, "validate")) return status;
  return check_limit(score.summary, options, streams);
}

constexpr Example kValidateExamples[] = {
    {"published runs against what is predicted", "trainplan validate example:runs_small.csv --quiet"},
    {"a paper's figures", "trainplan validate example:pati-4.4"},
};

}  // namespace

std::string wrong_run_flag(const ValidateFlags& options, const char* what) {
  if (!options.where.empty()) return fmt::format("--where selects measured runs, and {} has none", what);
  if (!options.by.empty()) return fmt::format("--by groups measured runs, and {} has none", what);
  return options.max_mape ? fmt::format("--max-mape is of measured runs, and {} has none", what) : "";
}

Command validate_command() {
  return command_of<kValidateFlags, run_validate>(
      {.name = "validate",
       .summary = "compare predictions with measured training runs, or with a paper's figures (studies)",
       .argument = "FILE...",
       .examples = kValidateExamples});
}

}  // namespace cli
