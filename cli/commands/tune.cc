#include "cli/commands/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/commands/calibrate_traces.h"
#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/commands/replay_files.h"
#include "cli/commands/reread.h"
#include "cli/pages/settings_report.h"
#include "cli/pages/tune_report.h"
#include "planner/plan/violations.h"
#include "planner/studies/settings/tune_settings.h"
#include "planner/trace/rank_order.h"
#include "planner/tuning/planned.h"
#include "planner/tuning/traced.h"

namespace cli {
namespace {

namespace trace = planner::trace;

struct TuneFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  int64_t most_partitions = 64;
  std::vector<std::string> passes;  // empty: all
  bool skip_broken = false;
};

constexpr int64_t kMostPartitions = 4096;
constexpr std::array kTuneRows{
    flag<&TuneFlags::most_partitions>({"--most-partitions", "N", "cut a bucket into no more partitions than that (64)",
                                       Takes::positive_whole, kMostPartitions}),
    flag<&TuneFlags::passes>(
        {"--passes",
         "recompute|gradient-accumulation|mixed-precision|operator-fusion|tensor-fusion|tensor-partition|none",
         "change no other settings of a scenario than these passes, joined by commas, do", Takes::words}),
};
constexpr auto kTuneFlags = scenario_flags(kPickRows<TuneFlags>, kTuneRows);

/// REQUIRES: a subject.
Report strategies_of(const planner::tuning::Tunable& pass, const TuneFlags& options) {
  const planner::tuning::Subject& subject = *pass.subject;
  const planner::tuning::Sync sync(subject.sync, static_cast<int>(options.most_partitions), subject.tail);
  return tune_report(subject, planner::tuning::tune(subject.pass, sync));
}

/// The strategies of a pass; else why there are none.
Report strategies_or_reason(const planner::tuning::Tunable& pass, const TuneFlags& options) {
  if (pass.subject) return strategies_of(pass, options);
  return {.format = {}, .document = {}, .key = {}, .table = {}, .text = {no_strategies(pass)}};
}

int print_tuned(const planner::tuning::Tunable& tunable, const TuneFlags& options, Streams& streams, Session& session) {
  if (!tunable.subject) session.diagnostics.error({}, "there is nothing to tune: " + tunable.why_not, tunable.hint);
  else if (tunable.subject->assumes_sizes)
    session.diagnostics.warning({}, "the traces say no shapes of gradients: those of a bucket count as equally large",
                                "profile with record_shapes=True");
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  return print(strategies_of(tunable, options), options.common, streams, "tune");
}

planner::AllowedPass allowed_passes(const TuneFlags& options) {
  return [&passes = options.passes](const planner::SettingPass& pass) {
    return passes.empty() || std::ranges::find(passes, pass.name) != passes.end();
  };
}

bool is_trace_of_run(const std::string& path) { return !path.ends_with(".yaml") && path != "-" && is_trace(path); }

int run_one(const TuneFlags& options, Streams& streams) {
  Session session;
  const auto loaded = load_one_length(options.common, options.scenario, "tune", streams, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const planner::Scenario& s = loaded->scenario;
  const std::vector<planner::Violation> violations = planner::layout_violations(s);
  for (const planner::Violation& v : violations) streams.err << "not feasible: " << v.rule << ": " << v.message << "\n";
  if (!violations.empty()) return kNotFeasible;
  const planner::Reread again = reread(options.scenario, session);
  const planner::TunedSettings tuned = planner::tune_settings(again, allowed_passes(options));
  const auto scenario = again(tuned.sets());
  const planner::tuning::Tunable pass = planner::tuning::planned_pass(scenario->scenario);
  const int status = print(with_settings(tuned, strategies_or_reason(pass, options)), options.common, streams, "tune");
  if (status != kDone || tuned.fits) return status;
  streams.err << "not feasible: memory: " << nearest_text(tuned) << "\n";
  return kNotFeasible;
}

int run_traces(const TuneFlags& options, Streams& streams) {
  Session session;
  if (!options.scenario.set.empty() || !options.scenario.pick.empty())
    session.diagnostics.error({}, "--set and --pick change a scenario, and these files are traces");
  ReplayFiles files = read_replay_files(options.common.inputs, options.skip_broken, streams, session);
  if (!files.executions.empty())
    session.diagnostics.error(
        {}, fmt::format("'{}' is an execution trace: it has no times of kernels", files.executions.front().file));
  std::optional<trace::Trace> measured;
  if (!session.diagnostics.has_errors()) measured = trace::order_ranks(std::move(files.ranks), session.diagnostics);
  if (!measured) return report_diagnostics(options.common, streams, session);
  const trace::Matched matched = trace::match_collectives(*measured);
  for (const std::string& mistake : matched.mistakes) session.diagnostics.error({}, mistake);
  for (const std::string& note : matched.notes) session.diagnostics.warning({}, note);
  if (session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  return print_tuned(planner::tuning::traced_pass(*measured, matched), options, streams, session);
}

int run_tune(const TuneFlags& options, Streams& streams) {
  const std::vector<std::string>& inputs = options.common.inputs;
  if (std::ranges::any_of(inputs, is_trace_of_run)) return run_traces(options, streams);
  if (inputs.size() == 1) return with_picked(options, streams, run_one);
  streams.err << "trainplan tune: one scenario, or the traces of one run\n";
  return kWrongUsage;
}

}  // namespace

Command tune_command() {
  return {.name = "tune",
          .summary = "which gradients to reduce together, which operators to fuse: frameworks' defaults and the best",
          .argument = "SCENARIO|TRACE...",
          .flags = kTuneFlags.flags,
          .function = run_with<kTuneFlags, TuneFlags, run_tune>};
}

}  // namespace cli
