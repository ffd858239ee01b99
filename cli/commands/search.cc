#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cli/args/words.h"
#include "cli/commands/checkpoint.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/limit.h"
#include "cli/commands/open.h"
#include "cli/commands/search_flags.h"
#include "cli/commands/search_output.h"
#include "cli/commands/shard.h"
#include "cli/pages/search_report.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "planner/search/goal.h"
#include "planner/search/verify.h"

namespace cli {
namespace {

constexpr std::array kSearchRows{
    flag<&SearchFlags::from>({"--from", "RUN",
                              "start from a run instead of SCENARIO: a scenario without choices, or a launch script of "
                              "Megatron-LM. Prints better layouts, and what each change is worth"}),
    flag<&SearchFlags::pareto>(
        {"--pareto", "A,B", "the plans that no other beats on all of these results: days,usd,gpus ...", Takes::list}),
    flag<&SearchFlags::sensitivity>(
        {"--sensitivity", "", "what the best plan depends on: peak rates, bandwidths, latencies, memory, price"}),
    flag<&SearchFlags::explain>(
        {"--explain", "N", "compare row N with the next row: where the time goes, and what would reverse their order"}),
    flag<&SearchFlags::why>(
        {"--why", "A=X,B=Y",
         "why this layout (tp=8,pp=4) is not the best: the rule that refuses it, or where it loses time", Takes::list}),
    flag<&SearchFlags::other_batches>(
        {"--other-batches", "",
         "for each number of GPUs without a plan, find a batch near the scenario's that has one"}),
    flag<&SearchFlags::solve>(
        {"--solve", "PATH", "find the value of this field at which --until starts to hold for the best plan"}),
    flag<&SearchFlags::until>(
        {"--until", "CONDITION", "with --solve: a condition over results and fields, such as 'mfu >= 0.45'"}),
    flag<&SearchFlags::shard>({"--shard", "I/N",
                               "walks the I-th of N parts of the space; `merge` unites the results. auto/N, auto: I, "
                               "or both, of a task of an "
                               "array (Slurm, Kubernetes, SGE)"}),
    flag<&SearchFlags::checkpoint>(
        {"--checkpoint", "TIME",
         "with --output FILE: keeps the search in FILE.checkpoint each time that so much has gone by (60s); or off"}),
    flag<&SearchFlags::resume>({"--resume", "FILE",
                                "continue an interrupted search from FILE: its checkpoint, or the JSON that it "
                                "printed; auto: the checkpoint of --output, if there is one"}),
    kLimitRow<&SearchFlags::limit>,
    flag<&SearchFlags::exhaustive>(
        {"--exhaustive", "", "compute every figure of every candidate: the same result, but slower"}),
    flag<&SearchFlags::verify>(
        {"--verify", "N", "plan N of the candidates again, one by one, and fail on any difference"}),
};
constexpr auto kSearchFlags = scenario_flags(kMeasuredRows<SearchFlags>, kSearchRows);

// A shard does not see the fewest GPUs of the space, and neither its rows nor its counts could be right.
void check_shard(const planner::OpenScenario& open, const planner::SearchOptions& search, Session& session) {
  if (search.shards == 1 || !planner::reads_scaling(open, search.pareto)) return;
  const dsl::Expression* reader = planner::scaling_reader(open);
  session.diagnostics.error(reader ? reader->span : dsl::Span{},
                            "scaling_efficiency compares with the fewest GPUs of the space, which no shard knows",
                            "as a goal, 'tokens_per_second / gpus' orders the plans in the same way");
}

std::string read_axes(const std::vector<std::string>& names, planner::SearchOptions& search) {
  const std::vector<std::string> known = names_of(planner::result_rows());
  for (const std::string& name : names) {
    const planner::ResultRow* row = planner::find_result(name);
    if (!row)
      return fmt::format("--pareto: no result is called '{}'{}; results: {}", name, or_meant(name, known),
                         fmt::join(known, ", "));
    search.pareto.push_back(row);
  }
  return "";
}

/// --verify: reads and plans candidates of the search again. Differences are reported; then kInvalidInput.
int verify_search(const SearchFlags& options, const ScenarioFlags& kept, const dsl::Source& source,
                  const planner::OpenScenario& open, int64_t evaluated, Session& session, Streams& streams) {
  const std::vector<std::string> names = planner::choice_names(open.space);
  const auto replan = [&](const std::vector<dsl::Value>& choices) -> std::optional<planner::Plan> {
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    const auto read = planner::read_scenario(source, set_overrides(kept), session.catalog, sources, diagnostics,
                                             {.chosen = choice_sets(names, choices)});
    return read ? std::optional(planner::make_plan(read->scenario)) : std::nullopt;
  };
  const planner::Verified verified = planner::verify(open, evaluated, *options.verify, replan);
  for (const planner::Mismatch& m : verified.mismatches)
    streams.err << fmt::format("trainplan search: {} differs from plan's with {}\n", m.figure,
                               fmt::join(sets_of(names, m.choices), " "));
  if (!options.common.quiet)
    streams.err << fmt::format("verified {} of {} costed candidates: {} differ\n", verified.candidates, evaluated,
                               verified.mismatches.size());
  return verified.mismatches.empty() ? kDone : kInvalidInput;
}

/// What --from does not go with, and a scenario that is missing or one too many; "" if nothing.
std::string wrong_input(const SearchFlags& options) {
  if (const std::string wrong = wrong_source(options.common, options.from); !wrong.empty()) return wrong;
  const bool run = !options.from.empty();
  const bool parts = !options.shard.empty() || !options.checkpoint.empty() || !options.resume.empty();
  if (run && (parts || options.explain || !options.solve.empty()))
    return "--from does not go with --explain, --solve, --shard, --checkpoint or --resume";
  return "";
}

/// What --solve lacks, or does not go with: each value is a search of its own.
std::string wrong_solve(const SearchFlags& options) {
  if (options.solve.empty() && options.until.empty()) return "";
  if (options.until.empty()) return "--solve needs a condition: --until 'mfu >= 0.45'";
  if (options.solve.empty()) return "--until needs a field: --solve PATH";
  const bool more = options.explain || options.sensitivity || options.verify || !options.shard.empty() ||
                    !options.checkpoint.empty() || !options.resume.empty();
  return more ? "--solve does not go with --explain, --sensitivity, --verify, --shard, --checkpoint or --resume" : "";
}

int solve_until(const SearchFlags& options, planner::SearchOptions search, Streams& streams) {
  search.stop = &interrupted();
  const Interruptible guard;
  return run_solve(options, search, streams);
}

/// Reads the flags of the walk; returns "" or the mistake.
std::string read_flags(const SearchFlags& options, planner::SearchOptions& search, double& limit, Period& period) {
  if (options.explain) search.top = std::max(search.top, static_cast<size_t>(*options.explain) + 1);
  search.threads = thread_count(options.scenario);
  search.exhaustive = options.exhaustive;
  for (const std::string& wrong :
       {wrong_input(options), options.shard.empty() ? "" : read_shard(options.shard, std::getenv, search),
        read_axes(options.pareto, search), read_limit(options.limit, limit), wrong_solve(options),
        read_period(options, period)})
    if (!wrong.empty()) return wrong;
  return "";
}

/// For a known run, written fields are opened too.
planner::Opens opens_of(const SearchFlags& options) {
  return options.from.empty() ? planner::Opens::unwritten : planner::Opens::written;
}

SearchedText searched_text(const dsl::Source& source, const SearchFlags& given) {
  return {.name = source.name,
          .text = source.text,
          .directory = source.directory,
          .set = given.scenario.set,
          .catalog = given.common.catalog,
          .prices = given.scenario.prices};
}

/// What the flags say of a walk.
struct SearchWalk {
  planner::SearchOptions search;
  double limit = kDefaultLimit;
  Period period;
};

/// A search of one space. `given`: the flags as given, without derived values.
int search_space(const SearchFlags& given, SearchFlags options, const dsl::Source* text, SearchWalk walk,
                 Session& session, Streams& streams) {
  planner::SearchOptions& search = walk.search;
  const bool from = !options.from.empty();
  const auto [source, open, candidates, by_policy] =
      load_open(text, options.scenario, session, walk.limit, opens_of(options), search.shards);
  SearchRivals beside;
  if (from && open) beside.run = known_run(given.scenario, planner::choice_names(open->space), session);
  search.threads = thread_count(options.scenario, candidates);
  if (open) search.window = planner::tie_law(*open).window();
  if (open) check_shard(*open, search, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  session.diagnostics.list.clear();       // reported
  ScenarioFlags kept = options.scenario;  // for reading it again
  keep_lengths(open->sample.lengths, kept);
  const std::string before = resumed_file(options);
  const bool draws = shows_picture(options.common) && search.pareto.empty();
  if (draws && before.empty()) search.pareto = picture_axes(*open);
  const auto digest = [&, &source = source, &open = open] {
    return search_digest(*source, options.scenario.set, *open);
  };
  const bool is_part = walk.period || !options.shard.empty() || !before.empty();
  Partial partial{
      .head = search_head(*open, by_policy), .digest = is_part ? digest() : "", .options = search, .result = {}};
  partial.searched = searched_text(*source, given);
  if (beside.run) partial.head.run = beside.run->row;
  std::optional<Partial> resumed;
  if (!before.empty()) resumed = read_interrupted(before, draws, partial, *open, streams, session);
  if (!options.why.empty())  // before the walk: a mistake in it is reported at once
    if (std::optional<LayoutReason> why = ask_why(options.why, kept, session)) beside.why.emplace(*std::move(why));
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  search.pareto = partial.options.pareto;
  if (resumed) search.resume = &resumed->result;
  CheckpointFile checkpoint(options, walk.period, partial, streams);
  search.checkpoints = checkpoint.how();
  const double walks = planner::reads_scaling(*open, search.pareto) ? 2 : 1;
  const WalkDisplay shown = shown_walk(options.common, streams, walks * candidates, open->sample.goal);
  partial.result = watched(search, shown, streams, [&, &open = open] { return planner::search(*open, search); });
  if (partial.result.stopped && !is_part) partial.digest = digest();
  checkpoint.end(partial.result);
  rank_result(options, planner::tie_law(*open), partial);
  const planner::SearchResult& result = partial.result;
  const SpaceText space{*source, *open, kept, session};
  const EndedSearch ended = ended_search(result, space);
  if (int status = print_search(options, search_page(partial, ended, space), beside, session, streams)) return status;
  if (options.verify)
    if (int status = verify_search(options, kept, *source, *open, result.evaluated, session, streams)) return status;
  // A shard has done its part where it found nothing: a scheduler would take another status for a failure.
  return result.feasible == 0 && options.shard.empty() ? kNotFeasible : kDone;
}

int run_search(const SearchFlags& given, Streams& streams) {
  SearchFlags options = given;  // with what the layout policy opens
  Session session;
  SearchWalk walk{.search = {.top = static_cast<size_t>(options.common.top.value_or(kTopPlans)), .pareto = {}},
                  .period = {}};
  if (const std::string wrong = read_flags(options, walk.search, walk.limit, walk.period); !wrong.empty())
    return refuse_usage("search", wrong, streams);
  if (!options.solve.empty()) return solve_until(options, walk.search, streams);
  const bool from = !options.from.empty();
  if (from) options.common.inputs = {options.from};
  const dsl::Source* text = open_text(options.common, streams, session, opens_of(options));
  if (text && !from && !session.diagnostics.has_errors()) {
    const std::vector<planner::UsedEntries> entries = entries_of(*text, options.scenario, session);
    if (!entries.empty() && !entries.front().uses.empty())
      return run_search_of_entries(options, *text, entries, walk.search, walk.limit, session, streams);
  }
  return search_space(given, options, text, walk, session, streams);
}

constexpr Example kSearchExamples[] = {
    {"what would be better than a launch script",
     "trainplan search --from example:launch.sh --set cluster.use=dgx-h100"},
    {"the three cheapest layouts within 60 days", "trainplan search example:gpt3-175b-search --top 3"},
};

}  // namespace

Command search_command() {
  return command_of<kSearchFlags, run_search>(
      {.name = "search",
       .summary = "all choices of the scenario: the best plans for its goal, and why the others were rejected",
       .argument = "[SCENARIO]",
       .examples = kSearchExamples,
       .pictures = true});
}

}  // namespace cli
