#include "planner/export/export.h"

#include <algorithm>

#include "cli/args/words.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "planner/plan/goals.h"

namespace cli {
namespace {

struct ExportFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::string to;  // the program
};

constexpr std::array kExportRows{
    flag<&ExportFlags::to>({"--to",
                            "megatron|deepspeed|accelerate|torchtitan|torchtitan-toml|nemo|nemo2|megatron-bridge",
                            "the program that runs the plan"}),
};
constexpr auto kExportFlags = scenario_flags(kPickRows<ExportFlags>, kExportRows);

/// Returns "" or the mistake in --to.
std::string check_target(const std::string& name) {
  const std::vector<std::string> names = names_of(planner::export_targets());
  if (std::ranges::find(names, name) != names.end()) return "";
  if (name.empty()) return fmt::format("missing --to {}", fmt::join(names, "|"));
  return fmt::format("--to: unknown program '{}'{}; known: {}", name, or_meant(name, names), fmt::join(names, "|"));
}

Report export_report(const std::string& target, const planner::Export& result) {
  Table table{.title = {}, .columns = {{.name = "name"}, {.name = "value"}, {.name = "field"}}, .rows = {}};
  for (const planner::Setting& s : result.settings) table.rows.push_back({s.name, s.value, s.field});
  return {.format = "trainplan.export/1",
          .document = {{"target", target}, {"text", result.text}, {"settings", Data::List{}}},
          .key = "settings",
          .table = std::move(table),
          .text = {}};
}

/// Prints the target's text as it is; other formats have its settings one by one. kNotFeasible for a layout that cannot
/// be (nothing is printed) and for one that does not fit (printed all the same).
int run_one_export(const ExportFlags& options, Streams& streams) {
  Session session;
  auto loaded = load_one_length(options.common, options.scenario, "export", streams, session);
  if (!loaded) return report_diagnostics(options.common, streams, session);
  const planner::Plan plan = advised_plan(*loaded, options.scenario, session);
  const std::vector<planner::Violation> refused = planner::refusals_of_program(*loaded);
  tell_violations(refused, streams);
  tell_violations(plan.violations, streams);
  std::optional<planner::Export> result;
  if (plan.step && refused.empty()) result = planner::export_plan(*loaded, options.to, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  if (!result) return kNotFeasible;
  if (options.common.format == "table") streams.out << result->text;
  else if (int status = print(export_report(options.to, *result), options.common, streams, "export")) return status;
  return plan.feasible ? kDone : kNotFeasible;
}

int run_export(const ExportFlags& options, Streams& streams) {
  const std::string wrong = check_target(options.to);
  if (wrong.empty()) return with_picked(options, streams, run_one_export);
  return refuse_usage("export", wrong, streams);
}

constexpr Example kExportExamples[] = {
    {"flags of Megatron-LM", "trainplan export example:gpt3-175b --to megatron"},
    {"a run of torchtitan", "trainplan export example:llama3-8b-torchtitan --to torchtitan"},
};

}  // namespace

Command export_command() {
  return command_of<kExportFlags, run_export>(
      {.name = "export",
       .summary = "launch flags or files of a plan, for the program that runs it",
       .argument = "SCENARIO",
       .examples = kExportExamples});
}

}  // namespace cli
