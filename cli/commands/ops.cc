#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/pages/graph_report.h"
#include "cli/pages/ops_report.h"
#include "planner/plan/plan.h"
#include "planner/workload/dump.h"
#include "planner/workload/passes/passes.h"

namespace cli {
namespace {

struct OpsFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::vector<std::string> group;  // "phase", "sublayer", "kind", "class" ...; outer first
  bool graph = false;              // what reads what, and the critical paths
  std::string dump;                // "", "blocks", "workload", "costed"
};

constexpr std::array kOpsRows{
    flag<&OpsFlags::group>({"--group", "phase|layer|sublayer|kind|class|part|bound|model|provenance",
                            "add up the operators that share this value, or several values: A,B", Takes::words}),
    flag<&OpsFlags::graph>(
        {"--graph", "",
         "print which operator reads which: critical paths of the blocks, and operators that run at the same time"}),
    flag<&OpsFlags::dump>({"--dump", "blocks|workload|costed",
                           "print every value of the step as text, one operator per line", Takes::word}),
};
constexpr auto kOpsFlags = scenario_flags(kPickRows<OpsFlags>, kOpsRows);

/// "" or which of --graph, --dump and --format dot does not go with another flag.
std::string wrong_graph(const OpsFlags& o) {
  const bool dumps = !o.dump.empty(), draws_graph = find_format(o.common.format)->draws == Draws::graph;
  if (draws_graph && !o.graph) return fmt::format("--format {} prints the graph of --graph", o.common.format);
  if (!o.graph && !dumps) return "";
  const char* asked = o.graph ? "--graph" : "--dump";
  if (o.graph && dumps) return "--graph and --dump print different things";
  if (!o.group.empty()) return fmt::format("{}: --group sums the operators' rows, and there are none", asked);
  if (wants_picture(o.common)) return fmt::format("{}: there is no picture of it; --graph has --format dot", asked);
  const bool selects = !o.common.columns.empty() || !o.common.sort.empty() || o.common.top;
  if (selects && (dumps || draws_graph))
    return fmt::format("{}: --columns, --sort and --top pick rows, and there are none", asked);
  if (dumps && o.common.format != CommonFlags{}.format) return "--dump is text: it has no --format";
  return "";
}

/// REQUIRES: no layout violation.
int print_graph(const planner::Scenario& s, const OpsFlags& options, Streams& streams) {
  planner::Workload workload = planner::build_workload(s);
  if (options.dump == "blocks") return streams.out << planner::dump_blocks(workload), kDone;
  if (options.dump == "workload") return streams.out << planner::dump(workload), kDone;
  const planner::CostedWorkload costed = planner::cost_workload(s, std::move(workload));
  if (options.dump == "costed") return streams.out << planner::dump(costed), kDone;
  return print(graph_report(costed), options.common, streams, "ops");
}

int run_one_ops(const OpsFlags& options, Streams& streams) {
  if (const std::string wrong = wrong_graph(options); !wrong.empty()) return refuse_usage("ops", wrong, streams);
  Session session;
  Stopwatch watch(options.common.timing, streams.err);
  auto loaded = load_one_length(options.common, options.scenario, "ops", streams, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  watch.mark("read");
  std::vector<planner::OperatorRow> rows = planner::operator_rows(loaded->scenario);
  watch.mark("operators");
  if (!rows.empty() && (options.graph || !options.dump.empty())) return print_graph(loaded->scenario, options, streams);
  if (rows.empty()) tell_violations(planner::make_plan(loaded->scenario).violations, streams);
  Report report = options.group.empty() ? ops_report(rows) : ops_grouped(rows, options.group);
  report.title = ops_title(loaded->scenario, rows);
  report.picture = [&]() -> svg::Picture {
    if (options.group.empty()) return ops_roofline(loaded->scenario, rows);
    return ops_bars(loaded->scenario, rows, options.group);
  };
  int status = print(std::move(report), options.common, streams, "ops");
  watch.mark("print");
  return status == kDone && rows.empty() ? int{kNotFeasible} : status;
}

int run_ops(const OpsFlags& options, Streams& streams) { return with_picked(options, streams, run_one_ops); }

constexpr Example kOpsExamples[] = {
    {"the operators of a step, added up by class", "trainplan ops example:gpt3-175b --group class"},
    {"a roofline of them as a picture", "trainplan ops example:gpt3-175b --format svg"},
};

}  // namespace

Command ops_command() {
  return command_of<kOpsFlags, run_ops>(
      {.name = "ops",
       .summary = "operator table: shape, FLOP, bytes, intensity, time, bound, provenance",
       .argument = "SCENARIO",
       .examples = kOpsExamples,
       .pictures = true,
       .graphs = true});
}

}  // namespace cli
