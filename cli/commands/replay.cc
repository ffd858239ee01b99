#include <fmt/format.h>

#include <functional>
#include <set>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/rank_list.h"
#include "cli/commands/replay_advice.h"
#include "cli/commands/replay_changes.h"
#include "cli/commands/replay_files.h"
#include "cli/commands/replay_machines.h"
#include "cli/commands/replay_predicted.h"
#include "cli/commands/replay_values.h"
#include "cli/commands/whole_file.h"
#include "cli/files/replay_timeline.h"
#include "cli/pages/execution_report.h"
#include "planner/plan/violations.h"
#include "planner/replay/against.h"
#include "planner/replay/executed.h"
#include "planner/replay/spans.h"
#include "planner/replay/statistics.h"
#include "planner/trace/readers.h"

namespace cli {
namespace {

namespace trace = planner::trace;
namespace replay = planner::replay;

struct ReplayFlags {
  CommonFlags common;
  ScenarioFlags scenario;  // --set alone
  ReplayChangeFlags changes;
  ReplayMachineFlags machines;
  std::string against, hosts, timeline, write_times;
  PredictionFlags prediction;
  std::optional<std::string> rank;  // of the timeline; nullopt: all
  bool from_others = false, advice = false, all = false;
  bool skip_broken = false;
};
constexpr int64_t kMostRanks = 1'000'000'000;  // as cluster.gpus
constexpr int64_t kMostBatch = 100'000'000;    // of one rank
constexpr std::array kReplayRows{
    flag<&ReplayFlags::changes, &ReplayChangeFlags::scale_op>(
        {"--scale-op", "NAME[@RANK][ before NAME]=FACTOR",
         "what if kernels, collectives or host operators of this name took FACTOR of their time; '*' is any text; "
         "repeatable"}),
    flag<&ReplayFlags::changes, &ReplayChangeFlags::remove>(
        {"--remove", "NAME[@RANK][ before NAME]",
         "what if operators of this name, and what they launch, were not there; repeatable"}),
    flag<&ReplayFlags::changes, &ReplayChangeFlags::fuse>(
        {"--fuse", "NAME[@RANK]",
         "what if kernels of this name that follow one another in a stream were one; repeatable"}),
    flag<&ReplayFlags::changes, &ReplayChangeFlags::move>(
        {"--move", "NAME[@RANK]=STREAM", "what if kernels of this name ran in another stream; repeatable"}),
    flag<&ReplayFlags::changes, &ReplayChangeFlags::host_speed>(
        {"--host-speed", "X", "what if the hosts were X times as fast"}),
    flag<&ReplayFlags::changes, &ReplayChangeFlags::no_stragglers>(
        {"--no-stragglers", "", "what if no rank waited for another in a collective"}),
    flag<&ReplayFlags::changes, &ReplayChangeFlags::perfect_overlap>(
        {"--perfect-overlap", "", "what if no kernel waited for communication of its own rank"}),
    flag<&ReplayFlags::machines, &ReplayMachineFlags::on>(
        naming("accelerator cluster",
               {"--on", "MACHINE",
                "predict for other hardware: an accelerator, a cluster, or the machine of a scenario file"})),
    flag<&ReplayFlags::machines, &ReplayMachineFlags::ranks>(
        {"--ranks", "N", "what if the run had N ranks that do the same", Takes::positive_whole, kMostRanks}),
    flag<&ReplayFlags::machines, &ReplayMachineFlags::from>(
        {"--from-machine", "MACHINE",
         "the measured accelerator or cluster, if the trace does not name one of the catalogue"}),
    flag<&ReplayFlags::changes, &ReplayChangeFlags::times>(
        {"--times", "FILE",
         "what if hosts and launches took the times in this file, which --write-times wrote; repeatable"}),
    flag<&ReplayFlags::changes, &ReplayChangeFlags::apply>(
        {"--apply", "FILE",
         "what if gradients were reduced and passes applied as in this file, which tune --write-decisions wrote"}),
    flag<&ReplayFlags::write_times>(
        {"--write-times", "FILE", "write the mean times of hosts and launches, by what they do", Takes::output}),
    flag<&ReplayFlags::prediction, &PredictionFlags::begins>(
        {"--begins", "FILE", "when each rank of execution traces begins, as rank,begin_seconds (all at once)"}),
    flag<&ReplayFlags::prediction, &PredictionFlags::tables>(
        {"--tables", "FILE",
         "what if tables of execution traces were placed as this file says, of shard --format json"}),
    flag<&ReplayFlags::prediction, &PredictionFlags::batch>(
        {"--batch", "N", "what if ranks of execution traces had a batch of N", Takes::positive_whole, kMostBatch}),
    flag<&ReplayFlags::from_others>(
        {"--from-others", "",
         "predict each rank from what hosts of the others take, and of one rank each step from its other steps"}),
    flag<&ReplayFlags::advice>({"--advice", "", "try the standard what-ifs, and print them by what they gain"}),
    flag<&ReplayFlags::all>({"--all", "", "list every collective, and every name in the table by name"}),
    flag<&ReplayFlags::against>(
        {"--against", "SCENARIO", "compare the planner's operators and step with the measured ones"}),
    flag<&ReplayFlags::hosts>(
        {"--hosts", "RANKS,...", "ranks that share a clock, as 0-7,8-15 (each rank has its own)"}),
    flag<&ReplayFlags::timeline>({"--timeline", "FILE",
                                  "write the replay, with its changes, as events for Perfetto or chrome://tracing",
                                  Takes::output}),
    flag<&ReplayFlags::rank>({"--rank", "RANKS", "only the timeline of these ranks, such as 0 or 0-7,12"}),
    flag<&ReplayFlags::skip_broken>({"--skip-broken", "", "leave out events and nodes that are broken, and say which"}),
};
constexpr auto kReplayFlags = data_flags(kReplayRows);

// What does not fit in the trace, and what nothing in it is named like.
void tell(const Measured& page, const ReplayFlags& options, const replay::Edits& edits, dsl::Diagnostics& diagnostics) {
  for (const std::string& mistake : page.matched.mistakes) {
    const std::string hint = "--skip-broken leaves out what does not match";
    options.skip_broken ? diagnostics.warning({}, mistake) : diagnostics.error({}, mistake, hint);
  }
  for (const std::string& note : page.matched.notes) diagnostics.warning({}, note);
  if (page.matched.mistakes.empty())  // else they say why
    for (const std::string& note : page.clocks.notes) diagnostics.warning({}, note);
  if (!page.is_replayed())
    diagnostics.error({}, "the collectives of the ranks wait for each other in a circle",
                      "are the files of one run, and of the same steps?");
  for (size_t r = 0; r < page.accounts.size(); ++r)
    for (const replay::StepAccount& account : page.accounts[r])
      if (const std::string wrong = replay::wrong_of(account); !wrong.empty())
        diagnostics.error({}, fmt::format("the times of '{}' contradict one another: {}", page.trace[r].file, wrong));
  if (page.is_stuck()) diagnostics.error({}, "with these changes the run waits for itself in a circle");
  tell_of_changes(page.applied, edits, diagnostics);
}

/// Writes a file piece by piece. One that cannot be written is a mistake like any other.
void write_file(const std::string& path, Session& session,
                const std::function<void(const std::function<void(std::string_view)>&)>& content) {
  if (path.empty() || session.diagnostics.has_errors()) return;
  WholeFile file(path);
  std::string wrong = file.open();
  content([&](std::string_view piece) {
    if (wrong.empty()) wrong = file.write(piece);
  });
  if (wrong.empty()) wrong = file.commit();
  if (!wrong.empty()) session.diagnostics.error({}, wrong);
}

/// Requests beyond the traces.
struct ReplayQuestion {
  std::optional<ReadDecisions> decisions;
  replay::Edits edits;
  std::vector<size_t> hosts;
  ReplayMachines machines;
  std::optional<replay::PlannedStep> planned;
  std::optional<std::vector<int64_t>> shown;  // ranks of the timeline; nullopt: all
};

/// What --set writes over the machine of --on. A catalogue's has no fields but its own.
MachineSets machine_sets(const ReplayFlags& options) {
  return {.sets = set_overrides(options.scenario), .shared = !options.against.empty()};
}

/// --rank: of the ranks whose traces are there.
std::optional<std::vector<int64_t>> shown_ranks(const ReplayFlags& options, const trace::Trace& measured,
                                                dsl::Diagnostics& diagnostics) {
  if (!options.rank) return std::nullopt;
  std::set<int64_t> ranks;
  for (const trace::RankTrace& rank : measured) ranks.insert(*rank.rank);
  return ranks_named(
      *options.rank, [&](int64_t rank) { return ranks.contains(rank); },
      fmt::format("the traces are of {}, {} to {}", ranks.size(), *ranks.begin(), *ranks.rbegin()), diagnostics);
}

/// --against: reads a scenario of one configuration, with what --set writes. nullopt: `path` is "", or on a mistake
/// (diagnosed), of which a layout that does not work is one.
std::optional<replay::PlannedStep> step_against(const std::string& path, const ScenarioFlags& flags,
                                                const CommonFlags& common, Streams& streams, Session& session) {
  if (path.empty()) return std::nullopt;
  CommonFlags scenario = common;
  scenario.inputs = {path};
  const auto loaded = load_one_length(scenario, flags, "replay --against", streams, session);
  if (!loaded) return std::nullopt;
  const std::vector<planner::Violation> violations = planner::layout_violations(loaded->scenario);
  for (const planner::Violation& v : violations)
    session.diagnostics.error({}, fmt::format("'{}' is not feasible: {}: {}", path, v.rule, v.message));
  if (!violations.empty()) return std::nullopt;
  return replay::planned_step(loaded->scenario);
}

std::optional<ReplayQuestion> asked_of(const ReplayFlags& options, const trace::Trace& measured,
                                       const std::optional<replay::Statistics>& times, Streams& streams,
                                       Session& session) {
  ReplayQuestion asked{.decisions = decisions_of(options.changes, streams, session),
                       .edits = edits_of(options.changes, measured, times ? &*times : nullptr, session.diagnostics),
                       .hosts = {},
                       .machines = {},
                       .planned = step_against(options.against, options.scenario, options.common, streams, session),
                       .shown = shown_ranks(options, measured, session.diagnostics)};
  if (asked.decisions && options.machines.changes())
    session.diagnostics.error({}, "--apply says how long reductions take on the machine of the trace",
                              "ask --on and --ranks by themselves");
  if (options.advice && (!asked.edits.empty() || asked.decisions || options.machines.changes()))
    session.diagnostics.error({}, "--advice tries each change by itself", "ask other changes without it");
  const auto hosts = hosts_of(options.hosts, measured, session.diagnostics);
  if (hosts) asked.hosts = *hosts;
  if (hosts)
    asked.machines = replay_machines(options.machines, machine_sets(options), options.hosts, measured, session);
  if (session.diagnostics.has_errors()) return std::nullopt;
  return asked;
}

void apply_to(replay::Edits& edits, const ReadDecisions& read) {
  edits.passes = read.passes;
  if (!read.decisions.buckets.empty()) edits.decisions = &read.decisions;
}

/// The files that are requested in addition to the page.
void write_files(const ReplayFlags& options, const ReplayQuestion& asked, const Measured& page, Session& session) {
  write_file(options.timeline, session, [&](const auto& write) { write_replay_timeline(page, write, asked.shown); });
  write_file(options.write_times, session, [&](const auto& write) {
    replay::Statistics times;
    replay::learn(
        page.trace, page.replayed, [](size_t, int64_t) { return true; }, times);
    replay::learn_spans(page.trace, page.steps, times);
    replay::write_statistics(times, write);
  });
}

int print_measured(const ReplayFlags& options, ReplayFiles files, Streams& streams, Session& session) {
  const std::optional<std::vector<std::string>> events = events_of(files, session.diagnostics);
  const std::optional<replay::Statistics> times = times_of(options.changes, streams, session);
  std::optional<trace::Trace> measured;
  if (!session.diagnostics.has_errors()) measured = trace::order_ranks(std::move(files.ranks), session.diagnostics);
  std::optional<ReplayQuestion> asked;
  if (measured) asked = asked_of(options, *measured, times, streams, session);
  if (!asked) return report_diagnostics(options.common, streams, session);
  if (asked->decisions) apply_to(asked->edits, *asked->decisions);
  trace::Clocks clocks = trace::put_in_step(*measured, asked->hosts);
  Measured page(
      *measured, std::move(clocks), asked->edits,
      [&](const trace::Trace& trace, const trace::Matched& matched) { return asked->machines.price(trace, matched); },
      join_files(files.executions, *events, *measured, session.diagnostics));
  page.unpriced = asked->machines.unknown;
  if (page.is_replayed() && options.from_others)
    page.unseen = replay::predict_each(page.trace, page.steps, page.replayed);
  if (asked->planned) page.against = replay::compare_with_plan(page.trace, page.steps, page.matched, *asked->planned);
  tell(page, options, asked->edits, session.diagnostics);
  if (asked->decisions) tell_of_decisions(page, *asked->decisions, session.diagnostics);
  write_files(options, *asked, page, session);
  if (options.advice && !session.diagnostics.has_errors()) page.advice = advice_of(page, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  return print(replay_report(page, options.all), options.common, streams, "replay");
}

int print_executions(const ReplayFlags& options, const ReplayFiles& files, Streams& streams, Session& session) {
  if (wants_picture(options.common))
    return refuse_usage("replay", "--format svg: there is no picture of execution traces alone", streams);
  if (!options.against.empty())
    session.diagnostics.error({}, "--against compares measured times, and execution traces alone are not replayed",
                              "give the events of a rank beside them");
  std::optional<replay::Executed> executed;
  if (const auto machine = execution_machine(options.machines, machine_sets(options), session)) {
    executed = replay::execute(files.executions, {.machine = &*machine});
    for (const std::string& wrong : executed->wrong) session.diagnostics.error({}, wrong);
    if (executed->untimed > 0 && executed->timed == 0)
      session.diagnostics.error(
          {},
          fmt::format("{} nodes compute, and none says how long it takes or the shapes of its inputs",
                      executed->untimed),
          "execution traces of PyTorch with `input_shapes` can be predicted");
    else if (executed->untimed > 0)
      session.diagnostics.warning(
          {}, fmt::format("{} nodes that compute have no duration: they take none", executed->untimed));
  }
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  return print(execution_report(files.executions, executed ? &*executed : nullptr), options.common, streams, "replay");
}

/// Execution traces whose operators have shapes, with predicted times: they are then what a profiler might have
/// written.
int print_predicted(ReplayFlags options, ReplayFiles files, Streams& streams, Session& session) {
  const std::optional<replay::Statistics> times = times_of(options.changes, streams, session);
  options.prediction.ranks = options.machines.ranks;
  const auto machine = execution_machine(options.machines, machine_sets(options), session);
  if (machine && !session.diagnostics.has_errors())
    files.ranks = predicted_ranks(files.executions, *machine, times, options.prediction, streams, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  session.diagnostics.list.clear();  // report_diagnostics has printed them
  options.machines = measured_on_it(options.machines);
  options.changes.times.clear();
  return print_measured(options, std::move(files), streams, session);
}

int run_replay(const ReplayFlags& options, Streams& streams) {
  if (options.rank && options.timeline.empty()) return refuse_usage("replay", kRankAlone, streams);
  Session session = open_session(options.common);
  if (!options.scenario.set.empty() && options.against.empty() && options.machines.on.empty())
    session.diagnostics.error({}, fmt::format("--set '{}' changes nothing", options.scenario.set.front()),
                              "it changes the scenario of --against SCENARIO, and the machine of --on MACHINE");
  if (session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  ReplayFiles files = read_replay_files(options.common.inputs, options.skip_broken, streams, session);
  if (session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  tell_of_shapes(files, options.machines, session.diagnostics);
  if (!session.diagnostics.has_errors())
    tell_of_prediction(options.prediction, is_predicted(files, options.machines), session.diagnostics);
  if (session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  if (is_predicted(files, options.machines)) return print_predicted(options, std::move(files), streams, session);
  return files.ranks.empty() ? print_executions(options, files, streams, session)
                             : print_measured(options, std::move(files), streams, session);
}

constexpr Example kReplayExamples[] = {
    {"who waited for whom", "trainplan replay example:rank0.json example:rank1.json"},
    {"what would help, the largest gain first", "trainplan replay example:rank0.json example:rank1.json --advice"},
};

}  // namespace

Command replay_command() {
  return command_of<kReplayFlags, run_replay>(
      {.name = "replay",
       .summary = "measured traces across ranks: who waited for whom, the critical path, what-ifs",
       .argument = "TRACE...",
       .examples = kReplayExamples,
       .pictures = true});
}

}  // namespace cli
