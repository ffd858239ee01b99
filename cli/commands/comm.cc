#include "planner/plan/comm.h"

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/pages/study_pages.h"
#include "planner/plan/violations.h"
#include "planner/studies/comm/region.h"
#include "planner/workload/passes/passes.h"

namespace cli {
namespace {

struct CommFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  bool roi = false;  // only the backward GEMMs and their gradients
};

constexpr std::array kCommRows{
    flag<&CommFlags::roi>({"--roi", "", "only the backward GEMMs and the collective of their gradients"}),
};
constexpr auto kCommFlags = scenario_flags(kPickRows<CommFlags>, kCommRows);

int run_one(const CommFlags& options, Streams& streams) {
  Session session;
  auto loaded = load_one_length(options.common, options.scenario, "comm", streams, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const planner::Scenario& s = loaded->scenario;
  if (tell_violations(planner::layout_violations(s), streams)) return kNotFeasible;
  if (!options.roi) {
    const planner::CommAnalysis analysis = planner::analyse_comm(s);
    Report report = comm_report(s, analysis);
    report.picture = [&] { return comm_bars(s, analysis); };
    return print(std::move(report), options.common, streams, "comm");
  }
  if (wants_picture(options.common))
    return refuse_usage("comm", "--roi has no picture; usage: trainplan comm SCENARIO --format svg", streams);
  const planner::Algorithm algorithm = planner::count_algorithm(s, planner::build_workload(s));
  return print(region_report(s, algorithm, planner::cost_region(s)), options.common, streams, "comm");
}

int run_comm(const CommFlags& options, Streams& streams) { return with_picked(options, streams, run_one); }

constexpr Example kCommExamples[] = {
    {"which collectives are hidden, and what is exposed", "trainplan comm example:gpt3-175b"},
    {"the same for another layout", "trainplan comm example:llama3-70b-h100 --set parallelism.tp=4"},
};

}  // namespace

Command comm_command() {
  return command_of<kCommFlags, run_comm>(
      {.name = "comm",
       .summary = "compute against communication: edge, slack, what is serialized, hidden and exposed",
       .argument = "SCENARIO",
       .examples = kCommExamples,
       .pictures = true});
}

}  // namespace cli
