#include "cli/commands/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "cli/commands/common.h"
#include "cli/commands/explain.h"
#include "cli/commands/interrupt.h"
#include "cli/commands/limit.h"
#include "cli/commands/nearest.h"
#include "cli/commands/progress.h"
#include "cli/commands/reread.h"
#include "cli/commands/resume.h"
#include "cli/commands/sensitivity.h"
#include "cli/commands/solve.h"
#include "cli/pages/search_picture.h"
#include "cli/pages/search_report.h"
#include "cli/render/render.h"
#include "dsl/write.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "planner/search/goal.h"
#include "planner/search/verify.h"

namespace cli {
namespace {

constexpr size_t kTop = 10;

int wrong_usage(Streams& streams, const char* command, const std::string& message) {
  streams.err << "trainplan " << command << ": " << message << "\n";
  return kWrongUsage;
}

/// `limit`: combinations that one of `shards` may have.
std::optional<planner::OpenScenario> load_open(const Options& options, Streams& streams, Session& session, double limit,
                                               int64_t shards = 1, const dsl::Source** text = nullptr) {
  open_catalog(session, options);
  const dsl::Source* source = read_input(options.inputs.at(0), streams, session);
  if (text) *text = source;
  if (!source || session.diagnostics.has_errors()) return std::nullopt;
  std::vector<dsl::Override> overrides = set_overrides(options);
  auto open = planner::read_open_scenario(*source, overrides, session.catalog, session.sources, session.diagnostics);
  if (open) check_limit(*open, limit, shards, session.diagnostics);
  return open;
}

// A shard does not see the fewest GPUs of the space, and neither its rows nor its counts could be right.
void check_shard(const planner::OpenScenario& open, const planner::SearchOptions& search, Session& session) {
  if (search.shards == 1 || !planner::reads_scaling(open, search.pareto)) return;
  const dsl::Expression* reader = planner::scaling_reader(open);
  session.diagnostics.error(reader ? reader->span : dsl::Span{},
                            "scaling_efficiency compares with the fewest GPUs of the space, which no shard knows",
                            "as a goal, 'tokens_per_second / gpus' orders the plans in the same way");
}

/// The walk, with a line about it on a terminal; Ctrl-C ends it.
planner::SearchResult walked(const planner::OpenScenario& open, planner::SearchOptions& search, bool shown,
                             Streams& streams) {
  planner::WalkProgress progress;
  if (search.resume) progress.candidates = search.resume->candidates;
  search.progress = &progress;
  search.stop = &interrupted();
  std::optional<ProgressBar> bar;
  const double walks = planner::reads_scaling(open, search.pareto) ? 2 : 1;
  if (shown)
    bar.emplace(streams.err, progress, walks * estimated_candidates(open) / static_cast<double>(search.shards),
                open.sample.goal);
  interrupted() = false;
  const Interruptible guard;
  planner::SearchResult result = planner::search(open, search);
  search.progress = nullptr;
  return result;
}

/// "2/8": the second of eight parts. Empty, or what is wrong.
std::string read_shard(const std::string& text, planner::SearchOptions& search) {
  const auto number = [](std::string_view digits, int64_t& out) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const size_t slash = text.find('/');
  int64_t i = 0, n = 0;
  const bool good = slash != std::string::npos && number(std::string_view(text).substr(0, slash), i) &&
                    number(std::string_view(text).substr(slash + 1), n) && i >= 1 && i <= n;
  if (!good) return fmt::format("expected --shard I/N with 1 <= I <= N, got '{}'", text);
  search.shard = i - 1;
  search.shards = n;
  return "";
}

std::string read_axes(const std::vector<std::string>& names, planner::SearchOptions& search) {
  std::vector<std::string> known;
  for (const planner::ResultRow& row : planner::result_rows()) known.emplace_back(row.name);
  for (const std::string& name : names) {
    const planner::ResultRow* row = planner::find_result(name);
    const std::string hint = dsl::did_you_mean(name, known);
    if (!row)
      return fmt::format("--pareto: no result is called '{}'{}{}; results: {}", name, hint.empty() ? "" : ", ", hint,
                         fmt::join(known, ", "));
    search.pareto.push_back(row);
  }
  return "";
}

// "parallelism.tp=4 parallelism.pp=8", as --set takes them.
std::vector<std::string> sets_of(const std::vector<std::string>& names, const std::vector<dsl::Value>& values) {
  std::vector<std::string> sets;
  for (size_t i = 0; i < names.size(); ++i) sets.push_back(names[i] + "=" + dsl::write_value(values[i]));
  return sets;
}

/// --verify: candidates of the search read and planned again. Anything that differs is told; kInvalidInput then.
int verify_search(const Options& options, const dsl::Source& source, const planner::OpenScenario& open,
                  int64_t evaluated, Session& session, Streams& streams) {
  const std::vector<std::string> names = planner::choice_names(open.space);
  const auto replan = [&](const std::vector<dsl::Value>& choices) -> std::optional<planner::Plan> {
    std::vector<dsl::Override> overrides = set_overrides(options);
    for (const std::string& text : sets_of(names, choices)) overrides.push_back({text});
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    const auto read = planner::read_scenario(source, overrides, session.catalog, sources, diagnostics);
    return read ? std::optional(planner::make_plan(read->scenario)) : std::nullopt;
  };
  const planner::Verified verified = planner::verify(open, evaluated, *options.verify, replan);
  for (const planner::Mismatch& m : verified.mismatches)
    streams.err << fmt::format("trainplan search: {} differs from plan's with {}\n", m.figure,
                               fmt::join(sets_of(names, m.choices), " "));
  if (!options.quiet)
    streams.err << fmt::format("verified {} of {} costed candidates: {} differ\n", verified.candidates, evaluated,
                               verified.mismatches.size());
  return verified.mismatches.empty() ? kDone : kInvalidInput;
}

/// Choices of the first candidate that can be costed, else of the first whose values are all ones that a plan reads;
/// absent: there is none.
std::optional<std::vector<dsl::Value>> first_candidate(const planner::OpenScenario& open, size_t choices) {
  const auto is_of_value = [](const std::string& rule) { return rule == "divisibility" || rule == "value"; };
  std::optional<std::vector<dsl::Value>> first;
  planner::sweep(open, [&](const planner::Swept& swept) {
    const bool readable =
        swept.choices.size() == choices && std::none_of(swept.broken.begin(), swept.broken.end(), is_of_value);
    if (swept.found || (readable && !first)) first = swept.choices;
    return !swept.found;
  });
  return first;
}

/// Sets every choice as the best plan of a search has it. kNotFeasible: there is none, and they are those of a
/// candidate that shows why; `found` is then whether there is one.
int set_best(Options& options, Streams& streams, bool& found) {
  Session session;
  const auto open = load_open(options, streams, session, kDefaultLimit);
  if (int status = report_diagnostics(options, streams, session)) return status;
  keep_lengths(open->sample.lengths, options);
  const std::vector<std::string> names = planner::choice_names(open->space);
  found = true;
  if (names.empty()) return kDone;
  planner::SearchOptions search{.top = 1, .pareto = {}};
  search.threads = thread_count(options);
  const planner::SearchResult result = planner::search(*open, search);
  const auto choices = result.plans.empty() ? first_candidate(*open, names.size()) : result.plans.front().choices;
  found = choices.has_value();
  if (result.plans.empty())
    streams.err << fmt::format("trainplan: none of {} candidates is feasible (trainplan search says why){}\n",
                               result.candidates, found ? "; this is the first that can be planned" : "");
  if (found)
    for (std::string& text : sets_of(names, *choices)) options.set.push_back(std::move(text));
  return result.plans.empty() ? kNotFeasible : kDone;
}

/// What --solve lacks, or does not go with: each value is a search of its own.
std::string wrong_solve(const Options& options) {
  if (options.solve.empty() && options.until.empty()) return "";
  if (options.until.empty()) return "--solve needs a condition: --until 'mfu >= 0.45'";
  if (options.solve.empty()) return "--until needs a field: --solve PATH";
  const bool more = options.explain || options.sensitivity || options.verify || !options.shard.empty();
  return more ? "--solve does not go with --explain, --sensitivity, --verify or --shard" : "";
}

int solve_until(const Options& options, const planner::SearchOptions& search, Streams& streams) {
  const Interruptible guard;
  return run_solve(options, search, streams);
}

/// Rows that only an explanation needs are not shown.
planner::SearchResult shown_part(planner::SearchResult result, const Options& options) {
  const size_t top = static_cast<size_t>(options.top.value_or(kTop));
  if (result.plans.size() > top) result.plans.resize(top);
  for (planner::Found& plan : result.plans) std::erase_if(plan.tied_with, [&](size_t rank) { return rank > top; });
  return result;
}

}  // namespace

int run_search(const Options& options, Streams& streams) {
  Session session;
  planner::SearchOptions search{.top = static_cast<size_t>(options.top.value_or(kTop)), .pareto = {}};
  if (options.explain) search.top = std::max(search.top, static_cast<size_t>(*options.explain) + 1);
  search.threads = thread_count(options);
  double limit = kDefaultLimit;
  for (const std::string& wrong : {options.shard.empty() ? "" : read_shard(options.shard, search),
                                   read_axes(options.pareto, search), read_limit(options, limit)})
    if (!wrong.empty()) return wrong_usage(streams, "search", wrong);
  if (const std::string wrong = wrong_solve(options); !wrong.empty()) return wrong_usage(streams, "search", wrong);
  if (!options.solve.empty()) return solve_until(options, search, streams);
  const dsl::Source* source = nullptr;
  const auto open = load_open(options, streams, session, limit, search.shards, &source);
  if (open) check_shard(*open, search, session);
  if (int status = report_diagnostics(options, streams, session)) return status;
  session.diagnostics.list.clear();  // told
  Options kept = options;            // what is read again
  keep_lengths(open->sample.lengths, kept);
  if (options.format == "svg" && search.pareto.empty() && options.resume.empty()) search.pareto = picture_axes(*open);
  Partial partial{.head = search_head(*open),
                  .digest = search_digest(*source, options.set, *open),
                  .options = search,
                  .result = {}};
  std::optional<Partial> resumed;
  if (!options.resume.empty()) resumed = read_interrupted(options, partial, streams, session);
  if (int status = report_diagnostics(options, streams, session)) return status;
  if (resumed) search.resume = &resumed->result;
  partial.result = walked(*open, search, streams.terminal && !options.quiet, streams);
  const planner::SearchResult& result = partial.result;
  Report report = search_report(partial.head, search, shown_part(result, options));
  if (options.format == "svg") report.picture = search_picture(partial.head, search, shown_part(result, options));
  if (options.format == "json" && (!options.shard.empty() || result.stopped)) add_partial(report, partial);
  if (options.explain) add_explanation(result, *open, kept, session, streams, report);
  if (options.sensitivity) add_sensitivity(result, *open, kept, session, report);
  if (result.feasible == 0) add_nearest(result, *open, kept, session, report);
  Options shown = options;
  shown.top.reset();  // the search has kept so many
  if (int status = print(std::move(report), shown, streams, "search")) return status;
  if (result.stopped) return kInterrupted;
  if (options.verify)
    if (int status = verify_search(kept, *source, *open, result.evaluated, session, streams)) return status;
  return result.feasible == 0 ? kNotFeasible : kDone;
}

int run_sweep(const Options& options, Streams& streams) {
  Session session;
  double limit = kDefaultLimit;
  if (const std::string wrong = read_limit(options, limit); !wrong.empty()) return wrong_usage(streams, "sweep", wrong);
  // Lines leave as they are made, unless a sorting needs all of them.
  const bool streamed = options.format == "ndjson" && options.sort.empty();
  if (streamed && options.top && static_cast<double>(*options.top) <= limit)
    limit = std::numeric_limits<double>::infinity();  // --top ends the walk
  const auto open = load_open(options, streams, session, limit);
  if (int status = report_diagnostics(options, streams, session)) return status;
  const std::vector<std::string> names = planner::choice_names(open->space);
  Report report = sweep_report();
  bool any = false, cut = false;  // cut: by --top, before it was known whether any is feasible
  int status = kDone;
  planner::sweep(*open, [&](const planner::Swept& swept) {
    any |= swept.broken.empty();
    report.table.rows.push_back(sweep_cells(names, swept));
    if (!streamed) return true;
    Report line = sweep_report();
    std::swap(line.table.rows, report.table.rows);
    status = print(line, options, streams, "sweep");
    cut = swept.index + 1 == options.top;
    return status == kDone && streams.out.good() && !cut;
  });
  if (!streamed) status = print(report, options, streams, "sweep");
  if (status != kDone) return status;
  return any || cut ? kDone : kNotFeasible;
}

int with_picked(const Options& options, Streams& streams, const std::function<int(const Options&, Streams&)>& command) {
  if (options.pick != "best") return command(options, streams);
  // Read twice: for the search, and for its best plan. As much of standard input as a scenario may have.
  std::string text(options.inputs.at(0) == "-" ? dsl::ParseLimits{}.bytes + 1 : 0, '\0');
  streams.in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(streams.in.gcount()));
  std::istringstream input(text);
  Streams again{.in = input, .out = streams.out, .err = streams.err, .color = streams.color, .width = streams.width};
  Options best = options;
  bool found = false;
  const int picked = set_best(best, again, found);
  if (!found) return picked;
  input.clear();
  input.seekg(0);
  const int status = command(best, again);
  return status == kDone ? picked : status;
}

}  // namespace cli
