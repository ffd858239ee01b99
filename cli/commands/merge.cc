#include <fmt/format.h>

#include <limits>

#include "cli/commands/checkpoint.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/open.h"
#include "cli/commands/search_output.h"
#include "cli/commands/shard.h"
#include "cli/files/partial_input.h"
#include "cli/pages/candidate_rows.h"
#include "cli/pages/search_report.h"
#include "planner/search/unite.h"

namespace cli {
namespace {

struct MergeFlags {
  CommonFlags common;
  bool missing = false, other_batches = false;
};
constexpr std::array kMergeRows{
    flag<&MergeFlags::missing>(
        {"--missing", "", "print the numbers of the missing shards, in the form of sbatch --array="}),
    flag<&MergeFlags::other_batches>({"--other-batches", "", "as of search"}),
};
constexpr auto kMergeFlags = plain_flags(kMergeRows);

std::vector<Partial> read_all(const MergeFlags& options, Streams& streams, Session& session) {
  std::vector<Partial> all;
  for (const std::string& path : options.common.inputs) {
    const dsl::Source* source = read_input(path, streams, session, kResultLimits.bytes);
    if (!source) continue;
    dsl::Diagnostics diagnostics;  // of this file: each reports its own mistakes
    if (std::optional<Partial> partial = read_partial(*source, diagnostics)) all.push_back(*std::move(partial));
    add_mistakes(diagnostics, session.diagnostics);
  }
  return all;
}

std::string quoted_name(const Partial& partial) { return "'" + partial.places.at("shard").source->name + "'"; }

// Files that are not of the same search as the first one.
void check_against_first(const std::vector<Partial>& all, dsl::Diagnostics& diagnostics) {
  const Partial& first = all.front();
  for (size_t i = 1; i < all.size(); ++i) {
    check_same(all[i], first, quoted_name(first), diagnostics);
    if (all[i].options.shards != first.options.shards)
      diagnostics.error(all[i].places.at("shards"),
                        fmt::format("one of {} shards, and {} one of {}", all[i].options.shards, quoted_name(first),
                                    first.options.shards));
  }
}

void check_whole(const std::vector<Partial>& all, dsl::Diagnostics& diagnostics) {
  std::map<int64_t, const Partial*> by_shard;
  for (const Partial& p : all) {
    const auto [it, is_new] = by_shard.emplace(p.options.shard, &p);
    if (!is_new)
      diagnostics.error(p.places.at("shard"), fmt::format("shard {} of {} is in {} already", p.options.shard + 1,
                                                          p.options.shards, quoted_name(*it->second)));
    if (p.result.unfinished)
      diagnostics.error(p.places.at("unfinished"),
                        fmt::format("shard {} of {} was interrupted", p.options.shard + 1, p.options.shards),
                        "`search --resume " + p.places.at("shard").source->name + "` finishes it");
  }
  constexpr size_t kNamed = 20;
  const int64_t shards = all.front().options.shards, missing = shards - static_cast<int64_t>(by_shard.size());
  std::vector<int64_t> named;
  for (int64_t i = 0; i < shards && named.size() < kNamed; ++i)
    if (!by_shard.contains(i)) named.push_back(i + 1);
  if (missing > 0)
    diagnostics.error({}, fmt::format("{} of {} shards {} missing: {}{}", missing, shards, missing == 1 ? "is" : "are",
                                      fmt::join(named, ", "), missing > static_cast<int64_t>(kNamed) ? " ..." : ""));
}

/// Unreadable files count as missing, and are reported; if none can be read, the number of shards is unknown.
void pass_over_broken(const std::vector<Partial>& all, dsl::Diagnostics& diagnostics) {
  if (all.empty()) return;
  for (dsl::Diagnostic& d : diagnostics.list) d.severity = dsl::Severity::warning;
}

std::vector<int64_t> missing_of(const std::vector<Partial>& found) {
  std::vector<bool> whole(static_cast<size_t>(found.front().options.shards));
  for (const Partial& partial : found)
    if (!partial.result.unfinished) whole[static_cast<size_t>(partial.options.shard)] = true;
  std::vector<int64_t> missing;
  for (size_t i = 0; i < whole.size(); ++i)
    if (!whole[i]) missing.push_back(static_cast<int64_t>(i) + 1);
  return missing;
}

/// --missing: prints the numbers of the shards that no file holds whole, as `sbatch --array=` takes them; nothing where
/// none is missing. `found`: what could be read, one at least, all of one search.
int print_missing(const std::vector<Partial>& found, const CommonFlags& common, Streams& streams) {
  const std::vector<int64_t> missing = missing_of(found);
  const std::string list = number_list(missing);
  if (common.format == "table") {
    if (!list.empty()) streams.out << list << '\n';
    return kDone;
  }
  Report report{.format = "trainplan.missing/1",
                .document = {{"shards", found.front().options.shards},
                             {"missing", Data::List(missing.begin(), missing.end())},
                             {"list", list}}};
  return print(std::move(report), common, streams, "merge");
}

/// Where the scenario cannot be read again.
int print_parts(const SearchFlags& options, Partial& whole, Streams& streams) {
  if (!options.common.quiet)
    streams.err << fmt::format(
        "warning: '{}' cannot be read again as it was searched; what only the scenario tells is left out\n",
        whole.searched.name);
  CommonFlags shown = options.common;
  name_candidate_columns(shown.columns, shown.sort);
  shown.top.reset();  // `unite` has kept that number
  rank_result(options, {.timed = whole.head.timed}, whole);
  Report report = search_report(whole.head, whole.options, whole.result);
  report.picture = [&] { return search_picture(whole.head, whole.options, whole.result); };
  return print(std::move(report), shown, streams, "merge");
}

/// As `search` prints it, which asks the scenario too.
int print_whole(const SearchFlags& options, Partial& whole, Streams& streams) {
  Session session;
  ScenarioFlags flags{.set = whole.searched.set, .prices = whole.searched.prices, .threads = {}, .pick = ""};
  open_catalog(session, whole.searched.catalog);
  const dsl::Source& source =
      session.sources.emplace_back(dsl::Source{whole.searched.name, whole.searched.text, whole.searched.directory});
  const Opened read =
      load_open(&source, flags, session, std::numeric_limits<double>::infinity(), planner::Opens::unwritten);
  if (!read.scenario || search_digest(source, flags.set, *read.scenario) != whole.digest)
    return print_parts(options, whole, streams);
  whole.head = search_head(*read.scenario, read.by_policy);
  keep_lengths(read.scenario->sample.lengths, flags);
  restore_choices(*read.scenario, whole.result);
  rank_result(options, planner::tie_law(*read.scenario), whole);
  const SpaceText space{source, *read.scenario, flags, session};
  const EndedSearch ended = ended_search(whole.result, space);
  return print_search(options, search_page(whole, ended, space), {}, session, streams, "merge");
}

int run_merge(const MergeFlags& options, Streams& streams) {
  Session session;
  const std::vector<Partial> all = read_all(options, streams, session);
  if (options.missing) pass_over_broken(all, session.diagnostics);
  if (!session.diagnostics.has_errors()) check_against_first(all, session.diagnostics);
  if (!session.diagnostics.has_errors() && !options.missing) check_whole(all, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  if (options.missing) return print_missing(all, options.common, streams);
  const Partial& first = all.front();
  planner::SearchOptions search{
      .top = first.options.top, .window = first.options.window, .pareto = first.options.pareto};
  if (options.common.top) search.top = static_cast<size_t>(*options.common.top);
  if (search.top > first.options.top)
    return refuse_usage("merge",
                        fmt::format("--top {}, but the shards were made with --top {}", search.top, first.options.top),
                        streams);
  std::vector<planner::SearchResult> results;
  for (const Partial& partial : all) results.push_back(partial.result);
  Partial whole{.head = first.head,
                .digest = first.digest,
                .options = search,
                .result = planner::unite(results, search),
                .searched = first.searched,
                .carries_on = false};
  SearchFlags asked{.common = options.common, .scenario = {}, .other_batches = options.other_batches};
  asked.common.top = static_cast<int64_t>(search.top);
  if (const int status = print_whole(asked, whole, streams)) return status;
  return whole.result.feasible == 0 ? kNotFeasible : kDone;
}

constexpr Example kMergeExamples[] = {
    {"the parts of a search as one result (here of one part)",
     "trainplan search example:gpt3-175b-search --shard 1/1 --format json | trainplan merge -"},
    {"which parts are still to be searched",
     "trainplan search example:gpt3-175b-search --shard 1/2 --format json | trainplan merge --missing -"},
};

}  // namespace

Command merge_command() {
  return command_of<kMergeFlags, run_merge>(
      {.name = "merge",
       .summary = "combine the results of search --shard I/N into the result of one search",
       .argument = "FILE...",
       .examples = kMergeExamples,
       .pictures = true});
}

}  // namespace cli
