#include "cli/commands/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/commands/calibrate_traces.h"
#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/commands/replay_files.h"
#include "cli/commands/replay_values.h"
#include "cli/commands/reread.h"
#include "cli/commands/whole_file.h"
#include "cli/input/head_first.h"
#include "cli/pages/decisions.h"
#include "cli/pages/settings_report.h"
#include "cli/pages/tune_report.h"
#include "cli/render/json.h"
#include "planner/plan/violations.h"
#include "planner/studies/settings/tune_settings.h"
#include "planner/trace/clocks.h"
#include "planner/trace/rank_order.h"
#include "planner/trace/readers.h"
#include "planner/tuning/planned.h"
#include "planner/tuning/traced.h"

namespace cli {
namespace {

namespace trace = planner::trace;
namespace tuning = planner::tuning;

struct TuneFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  int64_t most_partitions = tuning::kUsualPartitions;
  std::vector<std::string> passes;        // empty: all
  std::string strategy, write_decisions;  // "": not given
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
    flag<&TuneFlags::write_decisions>({"--write-decisions", "FILE",
                                       "writes the decisions of a strategy of traces, which replay --apply reads",
                                       Takes::output}),
    flag<&TuneFlags::strategy>(
        {"--strategy", "NAME", "the strategy whose decisions are written: a row of the table (best)", Takes::text}),
};
constexpr auto kTuneFlags = scenario_flags(kPickRows<TuneFlags>, kTuneRows);

/// What there is to tune; false: nothing (diagnosed).
bool check(const tuning::Tunable& tunable, Session& session) {
  if (!tunable.subject) session.diagnostics.error({}, "there is nothing to tune: " + tunable.why_not, tunable.hint);
  else if (tunable.subject->assumes_sizes)
    session.diagnostics.warning({}, "the traces say no shapes of gradients: those of a bucket count as equally large",
                                "profile with record_shapes=True");
  return tunable.subject.has_value();
}

/// Nothing is recommended by a graph that does not give back what was measured.
void check_model(const tuning::Subject& subject, const std::vector<tuning::Candidate>& candidates, Session& session) {
  if (tuning::is_modelled(subject, candidates)) return;
  const std::optional<double>& replayed = candidates.front().replayed_seconds;
  session.diagnostics.error({},
                            fmt::format("the graph of these traces does not model their step: it takes {}, and {} "
                                        "with the buckets that were measured",
                                        figure(subject.step_seconds, Unit::seconds),
                                        replayed ? figure(*replayed, Unit::seconds) : "waits for itself"),
                            "`trainplan replay` with the same files says what the graph holds of each rank and step");
}

std::vector<tuning::Candidate> candidates_of(const tuning::Subject& subject, const TuneFlags& options) {
  const tuning::Sync sync(subject.sync, static_cast<int>(options.most_partitions), subject.tail);
  return tuning::candidates_of(subject, tuning::tune(subject.pass, sync));
}

/// The strategies of a scenario's pass; else why there are none.
Report strategies_or_reason(const tuning::Tunable& pass, const TuneFlags& options) {
  if (pass.subject) return tune_report(*pass.subject, candidates_of(*pass.subject, options), Data());
  return {.format = {}, .document = {}, .key = {}, .table = {}, .text = {no_strategies(pass)}};
}

planner::AllowedPass allowed_passes(const TuneFlags& options) {
  return [&passes = options.passes](const planner::SettingPass& pass) {
    return passes.empty() || std::ranges::find(passes, pass.name) != passes.end();
  };
}

int run_one(const TuneFlags& options, Streams& streams) {
  Session session;
  if (!options.write_decisions.empty() || !options.strategy.empty())
    session.diagnostics.error({}, "--write-decisions and --strategy are of traces, and this is a scenario");
  const auto loaded = load_one_length(options.common, options.scenario, "tune", streams, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const planner::Scenario& s = loaded->scenario;
  const std::vector<planner::Violation> violations = planner::layout_violations(s);
  for (const planner::Violation& v : violations) streams.err << "not feasible: " << v.rule << ": " << v.message << "\n";
  if (!violations.empty()) return kNotFeasible;
  const planner::Reread again = reread(options.scenario, session);
  const planner::TunedSettings tuned = planner::tune_settings(again, allowed_passes(options));
  const auto scenario = again(tuned.sets());
  const tuning::Tunable pass = tuning::planned_pass(scenario->scenario);
  const int status = print(with_settings(tuned, strategies_or_reason(pass, options)), options.common, streams, "tune");
  if (status != kDone || tuned.fits) return status;
  streams.err << "not feasible: memory: " << nearest_text(tuned) << "\n";
  return kNotFeasible;
}

/// The traces of a run, clocks in step; nullopt: diagnosed.
std::optional<trace::Trace> read_run(const TuneFlags& options, Streams& streams, Session& session) {
  if (!options.scenario.set.empty() || !options.scenario.pick.empty())
    session.diagnostics.error({}, "--set and --pick change a scenario, and these files are traces");
  if (!options.scenario.prices.empty())
    session.diagnostics.error({}, "--prices changes a scenario, and these files are traces");
  ReplayFiles files = read_replay_files(options.common.inputs, options.skip_broken, streams, session);
  if (!files.executions.empty())
    session.diagnostics.error(
        {}, fmt::format("'{}' is an execution trace: it has no times of kernels", files.executions.front().file));
  if (session.diagnostics.has_errors()) return std::nullopt;
  std::optional<trace::Trace> measured = trace::order_ranks(std::move(files.ranks), session.diagnostics);
  if (!measured) return std::nullopt;
  const auto hosts = hosts_of("", *measured, session.diagnostics);
  trace::put_in_step(*measured, *hosts);
  return measured;
}

/// The row of --strategy; null: there is none of this name (diagnosed).
const tuning::Candidate* asked_for(const std::vector<tuning::Candidate>& candidates, const TuneFlags& options,
                                   Session& session) {
  if (options.strategy.empty()) return &candidates.back();
  std::vector<std::string> names;
  for (const tuning::Candidate& each : candidates) {
    if (each.name == options.strategy) return &each;
    names.push_back(each.name);
  }
  session.diagnostics.error({}, fmt::format("--strategy: no strategy is called '{}'", options.strategy),
                            dsl::did_you_mean(options.strategy, names));
  return nullptr;
}

/// The decisions of a strategy, which are written where that is asked for.
Data decisions_of(const tuning::Candidate& strategy, const tuning::Subject& subject, const tuning::RealGraph& graph,
                  const TuneFlags& options, Session& session) {
  if (!strategy.replayed_seconds) {
    session.diagnostics.error(
        {}, fmt::format("with the strategy '{}' the run waits for itself in a circle", strategy.name));
    return {};
  }
  const planner::replay::Decisions decisions = tuning::decisions_of(subject, strategy.played);
  Data document = decisions_document(strategy, subject, decisions, tuning::decide(graph, decisions, subject));
  if (options.write_decisions.empty()) return document;
  std::ostringstream text;
  print_json(document, text);
  if (const std::string wrong = write_whole(options.write_decisions, text.view()); !wrong.empty())
    session.diagnostics.error({}, wrong);
  return document;
}

int run_traces(const TuneFlags& options, Streams& streams) {
  Session session;
  const std::optional<trace::Trace> measured = read_run(options, streams, session);
  if (!measured) return report_diagnostics(options.common, streams, session);
  const trace::Matched matched = trace::match_collectives(*measured);
  for (const std::string& mistake : matched.mistakes) session.diagnostics.error({}, mistake);
  for (const std::string& note : matched.notes) session.diagnostics.warning({}, note);
  if (!matched.absent.empty()) session.diagnostics.warning({}, trace::absent_text(matched));
  if (session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  const tuning::Tunable tunable = tuning::traced_pass(*measured, matched);
  if (!check(tunable, session)) return report_diagnostics(options.common, streams, session);
  const tuning::RealGraph graph(*measured, matched);
  std::vector<tuning::Candidate> candidates = candidates_of(*tunable.subject, options);
  tuning::replay_candidates(graph, *tunable.subject, candidates);
  check_model(*tunable.subject, candidates, session);
  if (session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  Data decisions;
  const tuning::Candidate* strategy = asked_for(candidates, options, session);
  const bool wanted = !options.write_decisions.empty() || options.common.format == "json";
  if (strategy && wanted) decisions = decisions_of(*strategy, *tunable.subject, graph, options, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  return print(tune_report(*tunable.subject, candidates, std::move(decisions)), options.common, streams, "tune");
}

int run_tune(const TuneFlags& options, Streams& streams) {
  const std::vector<std::string>& inputs = options.common.inputs;
  HeadFirst in(streams.in);
  const bool from_in = std::ranges::find(inputs, "-") != inputs.end();
  const std::string head = from_in ? in.head(trace::kHeadBytes) : "";
  Streams all = {from_in ? in.stream() : streams.in,
                 streams.out,
                 streams.err,
                 streams.color,
                 streams.width,
                 streams.terminal,
                 streams.line,
                 streams.written};
  const auto is_one = [&](const std::string& path) { return path == "-" ? trace::is_trace(head) : is_trace(path); };
  if (std::ranges::any_of(inputs, is_one)) return run_traces(options, all);
  if (inputs.size() == 1) return with_picked(options, all, run_one);
  streams.err << "trainplan tune: one scenario, or the traces of one run\n";
  return kWrongUsage;
}

constexpr Example kTuneExamples[] = {
    {"which gradients to reduce together", "trainplan tune scenarios/dpro-bert-base.yaml"},
    {"recomputation and accumulation under 8 GB of memory",
     "trainplan tune scenarios/dpro-bert-base.yaml --set job.global_batch=1024 --set parallelism.microbatch=64 --set "
     "'cluster.gpu.memory=8 GB'"},
};

}  // namespace

Command tune_command() {
  return {.name = "tune",
          .summary = "which gradients to reduce together, which operators to fuse: frameworks' defaults and the best",
          .argument = "SCENARIO|TRACE...",
          .flags = kTuneFlags.flags,
          .examples = kTuneExamples,
          .function = run_with<kTuneFlags, TuneFlags, run_tune>};
}

}  // namespace cli
