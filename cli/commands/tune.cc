#include "cli/commands/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/commands/calibrate_traces.h"
#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/commands/replay_files.h"
#include "cli/pages/tune_report.h"
#include "planner/plan/violations.h"
#include "planner/trace/rank_order.h"
#include "planner/tuning/planned.h"
#include "planner/tuning/real_graph.h"
#include "planner/tuning/traced.h"

namespace cli {
namespace {

namespace trace = planner::trace;

struct TuneFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  int64_t most_partitions = 64;
  bool skip_broken = false;
};

constexpr int64_t kMostPartitions = 4096;
constexpr std::array kTuneRows{
    flag<&TuneFlags::most_partitions>({"--most-partitions", "N", "cut a bucket into no more partitions than that (64)",
                                       Takes::positive_whole, kMostPartitions}),
};
constexpr auto kTuneFlags = scenario_flags(kPickRows<TuneFlags>, kTuneRows);

namespace tuning = planner::tuning;

/// What is known of a run that was measured.
struct MeasuredRun {
  const trace::Trace& trace;
  const trace::Matched& matched;
};

int print_tuned(const tuning::Tunable& tunable, const MeasuredRun* run, const TuneFlags& options, Streams& streams,
                Session& session) {
  if (!tunable.subject) session.diagnostics.error({}, "there is nothing to tune: " + tunable.why_not, tunable.hint);
  else if (tunable.subject->assumes_sizes)
    session.diagnostics.warning({}, "the traces say no shapes of gradients: those of a bucket count as equally large",
                                "profile with record_shapes=True");
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const tuning::Sync sync(tunable.subject->sync, static_cast<int>(options.most_partitions));
  std::vector<tuning::Candidate> candidates =
      tuning::candidates_of(*tunable.subject, tuning::tune(tunable.subject->pass, sync));
  if (run) tuning::replay_candidates(tuning::RealGraph(run->trace, run->matched), *tunable.subject, candidates);
  return print(tune_report(*tunable.subject, candidates), options.common, streams, "tune");
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
  return print_tuned(tuning::planned_pass(s), nullptr, options, streams, session);
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
  const MeasuredRun run{*measured, matched};
  return print_tuned(tuning::traced_pass(*measured, matched), &run, options, streams, session);
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
