#include "cli/commands/tune.h"

#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/pages/tune_report.h"
#include "planner/plan/violations.h"

namespace cli {
namespace {

struct TuneFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  int64_t most_partitions = 64;
};

constexpr int64_t kMostPartitions = 4096;
constexpr std::array kTuneRows{
    flag<&TuneFlags::most_partitions>({"--most-partitions", "N", "cut a bucket into no more partitions than that (64)",
                                       Takes::positive_whole, kMostPartitions}),
};
constexpr auto kTuneFlags = scenario_flags(kPickRows<TuneFlags>, kTuneRows);

int run_one(const TuneFlags& options, Streams& streams) {
  Session session;
  const auto loaded = load_one_length(options.common, options.scenario, "tune", streams, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const planner::Scenario& s = loaded->scenario;
  const std::vector<planner::Violation> violations = planner::layout_violations(s);
  for (const planner::Violation& v : violations) streams.err << "not feasible: " << v.rule << ": " << v.message << "\n";
  if (!violations.empty()) return kNotFeasible;
  const planner::tuning::Tunable tunable = planner::tuning::planned_pass(s);
  if (!tunable.planned) {
    session.diagnostics.error({}, "there is nothing to tune: " + tunable.why_not, tunable.hint);
    return report_diagnostics(options.common, streams, session);
  }
  const planner::tuning::Sync sync(tunable.planned->sync, static_cast<int>(options.most_partitions));
  const planner::tuning::Tuned tuned = planner::tuning::tune(tunable.planned->pass, sync);
  return print(tune_report(*tunable.planned, tuned), options.common, streams, "tune");
}

int run_tune(const TuneFlags& options, Streams& streams) { return with_picked(options, streams, run_one); }

}  // namespace

Command tune_command() {
  return {.name = "tune",
          .summary = "which gradients to reduce together, which operators to fuse: frameworks' defaults and the best",
          .argument = "SCENARIO",
          .flags = kTuneFlags.flags,
          .function = run_with<kTuneFlags, TuneFlags, run_tune>};
}

}  // namespace cli
