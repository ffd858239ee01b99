#include "cli/commands/tune_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "cli/args/words.h"
#include "cli/commands/elapsed.h"
#include "cli/commands/replay_files.h"
#include "cli/commands/replay_machines.h"
#include "cli/commands/replay_values.h"
#include "cli/commands/whole_file.h"
#include "cli/files/decisions.h"
#include "cli/pages/tune_report.h"
#include "cli/render/render.h"
#include "dsl/units.h"
#include "planner/trace/clocks.h"
#include "planner/trace/readers.h"
#include "planner/tuning/traced.h"

namespace cli {
namespace {

namespace trace = planner::trace;
namespace tuning = planner::tuning;

/// A run that was measured, and all that is made of it. Each member refers to those before it.
struct TracedRun {
  explicit TracedRun(trace::Trace measured)
      : trace(std::move(measured)),
        matched(trace::match_collectives(trace)),
        tunable(tuning::traced_pass(trace, matched)) {}

  const trace::Trace trace;
  const trace::Matched matched;
  const tuning::Tunable tunable;
};

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

bool hands_over_gradients(const trace::Trace& trace) {
  return std::ranges::any_of(trace, [](const trace::RankTrace& rank) {
    return std::ranges::any_of(rank.events,
                               [&](const trace::Event& event) { return rank.name(event) == trace::kGradient; });
  });
}

/// False: there is nothing to tune (diagnosed). A run whose gradients nothing reduces has its other passes.
bool check(const TracedRun& run, Session& session) {
  if (!run.tunable.subject && !hands_over_gradients(run.trace))
    session.diagnostics.error({}, "there is nothing to tune: " + run.tunable.why_not, run.tunable.hint);
  else if (run.tunable.subject && run.tunable.subject->assumes_sizes)
    session.diagnostics.warning({}, "the traces say no shapes of gradients: those of a bucket count as equally large",
                                "profile with record_shapes=True");
  return !session.diagnostics.has_errors();
}

/// A graph that does not reproduce the measurement must not recommend anything.
void check_model(const TracedRun& run, const tuning::RealGraph& graph, const std::vector<tuning::Candidate>& candidates,
                 Session& session) {
  const auto& subject = run.tunable.subject;
  const double measured = subject ? subject->step_seconds : graph.measured_seconds();
  const std::optional<double> replayed =
      subject ? candidates.front().replayed_seconds : graph.step_seconds({}, nullptr);
  if (tuning::is_modelled(measured, replayed)) return;
  session.diagnostics.error(
      {},
      fmt::format("the graph of these traces does not model their step: it takes {}, and {} {}",
                  figure(measured, Unit::seconds), replayed ? figure(*replayed, Unit::seconds) : "waits for itself",
                  subject ? "with the buckets that were measured" : "replayed"),
      "`trainplan replay` with the same files says what the graph holds of each rank and step");
}

/// Returns the row that --strategy names; null if no row has this name (diagnosed).
const tuning::Candidate* asked_for(const std::vector<tuning::Candidate>& candidates, const TuneFlags& options,
                                   Session& session) {
  for (const tuning::Candidate& each : candidates)
    if (each.name == options.strategy) return &each;
  session.diagnostics.error({}, fmt::format("--strategy: no strategy is called '{}'", options.strategy),
                            dsl::did_you_mean(options.strategy, names_of(candidates)));
  return nullptr;
}

/// What matrix products take at 16 bits, by the machine of the traces where the catalogue has it.
double matrix_factor_of(const TracedRun& run, const tuning::RealGraph& graph, const TuneFlags& options,
                        Session& session) {
  open_catalog(session, options.common.catalog);
  const ReplayMachines machines = machine_of(run.trace, session);
  const auto takes_single = [&](size_t r) {
    return std::ranges::any_of(graph.work()[r].steps, [&](const auto& step) {
      return std::ranges::any_of(step.work,
                                 [&](const auto& each) { return planner::replay::takes_single(run.trace[r], each); });
    });
  };
  if (!machines.from && takes_single(0))
    session.diagnostics.warning({},
                                fmt::format("{}: matrix products count as twice as fast at 16 bits", machines.unknown));
  return tuning::matrix_factor_of(run.trace, graph.work(), machines.from ? &*machines.from : nullptr);
}

/// All that is decided: the row of --strategy alone, or what the passes chose. nullopt: diagnosed.
std::optional<DecisionsFile> decisions_of(const tuning::TraceRun& run, const tuning::TunedTrace& tuned,
                                          const TuneFlags& options, Session& session) {
  DecisionsFile file{.replayed_seconds = tuned.step_after, .passes = tuned.choice.passes, .taken = tuned.decisions};
  const auto& subject = run.reductions.subject;
  file.measured_seconds = subject ? subject->step_seconds : run.graph.measured_seconds();
  if (!options.strategy.empty()) {
    const tuning::Candidate* strategy = asked_for(run.candidates, options, session);
    if (strategy && !strategy->replayed_seconds)
      session.diagnostics.error(
          {}, fmt::format("with the strategy '{}' the run waits for itself in a circle", strategy->name));
    if (session.diagnostics.has_errors()) return std::nullopt;
    file.strategy = strategy->name;
    file.replayed_seconds = *strategy->replayed_seconds;
    file.passes = {}, file.taken.clear();
    file.reductions = tuning::decisions_of(*subject, strategy->played);
  } else if (subject) {
    file.strategy = run.candidates[tuned.choice.candidate].name;
    file.reductions = run.decisions_of(tuned.choice);
  }
  if (!file.reductions) return file;
  file.ranks = subject->ranks;
  file.gains = tuning::decide(run.graph, *file.reductions, *subject, file.passes);
  return file;
}

/// The decisions as a document, written to a file on request.
Data document_of(const DecisionsFile& file, const TuneFlags& options, Session& session) {
  Data document = decisions_document(file);
  if (options.write_decisions.empty()) return document;
  std::ostringstream text;
  print_json(document, text);
  if (const std::string wrong = write_whole(options.write_decisions, text.view()); !wrong.empty())
    session.diagnostics.error({}, wrong);
  return document;
}

Report strategies_page(const tuning::TraceRun& run, Data decisions) {
  if (run.reductions.subject) return tune_report(*run.reductions.subject, run.candidates, std::move(decisions));
  return {.format = {}, .document = {{"to_apply", std::move(decisions)}}, .text = {no_strategies(run.reductions)}};
}

int print_run(const TuneFlags& options, const TracedRun& run, const std::optional<double>& budget, Streams& streams,
              Session& session) {
  const tuning::RealGraph graph(run.trace, run.matched);
  std::vector<tuning::Candidate> candidates;
  if (run.tunable.subject)
    candidates = elapsed(options.common, streams, "trying buckets of gradients",
                         [&] { return strategies_of(*run.tunable.subject, options); });
  if (run.tunable.subject) tuning::replay_candidates(graph, *run.tunable.subject, candidates);
  check_model(run, graph, candidates, session);
  if (session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  const tuning::TraceRun traced{.graph = graph,
                                .reductions = run.tunable,
                                .candidates = candidates,
                                .memory = tuning::memory_of(graph, run.tunable.gradient_bytes()),
                                .matrix_factor = matrix_factor_of(run, graph, options, session),
                                .most_partitions = static_cast<int>(options.most_partitions)};
  if (budget && traced.memory.kept == planner::replay::Kept::unknown)
    session.diagnostics.error({}, "--memory: the traces do not say what the run keeps in memory",
                              "profile with record_shapes=True or profile_memory=True");
  if (session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  const auto is_allowed = [&](const tuning::TracePass& pass) {
    return options.passes.empty() || std::ranges::find(options.passes, pass.name) != options.passes.end();
  };
  const tuning::TunedTrace tuned =
      elapsed(options.common, streams, "trying passes", [&] { return tuning::tune_trace(traced, budget, is_allowed); });
  Data document;
  const bool wanted = !options.write_decisions.empty() || !options.strategy.empty() || options.common.format == "json";
  if (wanted)
    if (const auto file = decisions_of(traced, tuned, options, session))
      document = document_of(*file, options, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const Report report = with_passes(tuned, traced.memory, strategies_page(traced, std::move(document)));
  const int status = print(report, options.common, streams, "tune");
  if (status != kDone || tuned.fits) return status;
  streams.err << "not feasible: memory: " << nearest_text(tuned) << "\n";
  return kNotFeasible;
}

}  // namespace

std::vector<tuning::Candidate> strategies_of(const tuning::Subject& subject, const TuneFlags& options) {
  const tuning::Sync sync(subject.sync, static_cast<int>(options.most_partitions), subject.tail);
  return tuning::candidates_of(subject, tuning::tune(subject.pass, sync));
}

std::optional<double> memory_budget(const TuneFlags& options, dsl::Diagnostics& diagnostics) {
  if (options.memory.empty()) return std::nullopt;
  const dsl::Scanned scanned = dsl::scan_number(options.memory);
  const bool is_size = scanned.length == options.memory.size() && scanned.problem.empty() &&
                       (scanned.number.dim == dsl::kData || scanned.number.dim == dsl::kNone) &&
                       scanned.number.value > 0;
  if (!is_size)
    diagnostics.error({}, fmt::format("--memory: '{}' is no size", options.memory), "as in --memory '16 GB'");
  return is_size ? std::optional(scanned.number.value) : std::nullopt;
}

int tune_traces(const TuneFlags& options, Streams& streams) {
  Session session;
  const std::optional<double> budget = memory_budget(options, session.diagnostics);
  std::optional<trace::Trace> measured =
      elapsed(options.common, streams, "reading traces", [&] { return read_run(options, streams, session); });
  if (!measured || session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  const TracedRun run(*std::move(measured));
  for (const std::string& mistake : run.matched.mistakes) session.diagnostics.error({}, mistake);
  for (const std::string& note : run.matched.notes) session.diagnostics.warning({}, note);
  if (!run.matched.absent.empty()) session.diagnostics.warning({}, trace::absent_text(run.matched));
  if (session.diagnostics.has_errors() || !check(run, session))
    return report_diagnostics(options.common, streams, session);
  return print_run(options, run, budget, streams, session);
}

}  // namespace cli
