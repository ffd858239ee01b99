#include "cli/commands/ops.h"

#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/commands/stopwatch.h"
#include "cli/pages/ops_picture.h"
#include "cli/pages/ops_report.h"

namespace cli {
namespace {

struct OpsFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::vector<std::string> group;  // "phase", "sublayer", "kind", "class" ...; outer first
};

constexpr std::array kOwn{
    flag<&OpsFlags::group>({"--group", "phase|layer|sublayer|kind|class|part|bound|model|provenance",
                            "sums of the operators that share a value, or several: A,B", Takes::words}),
};
constexpr auto kFlags = scenario_flags(kPickRows<OpsFlags>, kOwn);

int run_one_ops(const OpsFlags& options, Streams& streams) {
  Session session;
  Stopwatch watch(options.common.timing, streams.err);
  auto loaded = load_one_length(options.common, options.scenario, "ops", streams, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  watch.mark("read");
  std::vector<planner::OperatorRow> rows = planner::operator_rows(loaded->scenario);
  watch.mark("operators");
  if (rows.empty()) {
    for (const planner::Violation& v : planner::make_plan(loaded->scenario).violations)
      streams.err << "not feasible: " << v.rule << ": " << v.message << "\n";
  }
  Report report = options.group.empty() ? ops_report(rows) : ops_grouped(rows, options.group);
  report.picture = [&]() -> svg::Picture {
    if (options.group.empty()) return ops_roofline(loaded->scenario, rows);
    return ops_bars(loaded->scenario, rows, options.group);
  };
  int status = print(std::move(report), options.common, streams, "ops");
  watch.mark("print");
  return status == kDone && rows.empty() ? int{kNotFeasible} : status;
}

int run_ops(const OpsFlags& options, Streams& streams) { return with_picked(options, streams, run_one_ops); }

}  // namespace

Command ops_command() {
  return {.name = "ops",
          .summary = "operator table: shape, FLOP, bytes, intensity, time, bound, provenance",
          .argument = "SCENARIO",
          .flags = kFlags.flags,
          .function = run_with<kFlags, OpsFlags, run_ops>,
          .pictures = true};
}

}  // namespace cli
