#include "cli/commands/comm.h"

#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/pages/comm_report.h"
#include "planner/plan/violations.h"
#include "planner/workload/passes/passes.h"

namespace cli {
namespace {

struct CommFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  bool roi = false;  // only the backward GEMMs and their gradients
};

constexpr std::array kCommRows{
    flag<&CommFlags::roi>(
        {"--roi", "", "only the backward GEMMs and the collective of their gradients", Takes::nothing}),
};
constexpr auto kCommFlags = scenario_flags(kPickRows<CommFlags>, kCommRows);

constexpr const char* kPictureUsage = "usage: trainplan comm SCENARIO --format svg";

int run_one(const CommFlags& options, Streams& streams) {
  Session session;
  auto loaded = load_one_length(options.common, options.scenario, "comm", streams, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const planner::Scenario& s = loaded->scenario;
  const std::vector<planner::Violation> violations = planner::layout_violations(s);
  for (const planner::Violation& v : violations) streams.err << "not feasible: " << v.rule << ": " << v.message << "\n";
  if (!violations.empty()) return kNotFeasible;
  if (!options.roi) {
    const planner::CommAnalysis analysis = planner::analyse_comm(s);
    Report report = comm_report(s, analysis);
    report.picture = [&] { return comm_bars(s, analysis); };
    return print(std::move(report), options.common, streams, "comm");
  }
  if (wants_picture(options.common)) {
    streams.err << "trainplan comm: --roi has no picture; " << kPictureUsage << "\n";
    return kWrongUsage;
  }
  const planner::Algorithm algorithm = planner::count_algorithm(s, planner::build_workload(s));
  return print(region_report(s, algorithm, planner::cost_region(s)), options.common, streams, "comm");
}

int run_comm(const CommFlags& options, Streams& streams) { return with_picked(options, streams, run_one); }

constexpr Example kCommExamples[] = {
    {"which collectives are hidden, and what is exposed", "trainplan comm scenarios/gpt3-175b.yaml"},
    {"the same for another layout", "trainplan comm scenarios/llama3-70b-h100.yaml --set parallelism.tp=4"},
};

}  // namespace

Command comm_command() {
  return {.name = "comm",
          .summary = "compute against communication: edge, slack, what is serialized, hidden and exposed",
          .argument = "SCENARIO",
          .flags = kCommFlags.flags,
          .examples = kCommExamples,
          .function = run_with<kCommFlags, CommFlags, run_comm>,
          .pictures = true};
}

}  // namespace cli
