#include "cli/commands/search_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/open.h"
#include "cli/pages/candidate_rows.h"
#include "cli/pages/diagnostics_report.h"
#include "cli/pages/search_report.h"
#include "dsl/write.h"
#include "planner/studies/whatif/obstacles.h"

namespace cli {
namespace {

/// Rows that only an explanation needs are not shown.
planner::SearchResult shown_part(planner::SearchResult result, const SearchFlags& options) {
  const size_t top = static_cast<size_t>(options.common.top.value_or(kTopPlans));
  if (result.plans.size() > top) result.plans.resize(top);
  return result;
}

/// What --explain and --sensitivity ask for, and why nothing is feasible where nothing is.
void add_asked(const SearchFlags& options, const SearchPage& page, Streams& streams, Report& report) {
  const EndedSearch& search = page.ended;
  if (options.explain) {
    const std::optional<Explained> found = explained(search, static_cast<size_t>(*options.explain));
    if (!found && !options.common.quiet)
      streams.err << fmt::format("warning: --explain {}: {} plans are feasible\n", *options.explain,
                                 search.result.feasible);
    add_explanation(found, report);
  }
  if (options.sensitivity) add_sensitivity(sensitivities(search), report);
  if (search.result.feasible == 0) add_nearest(nearest(search), page.obstacles(), report);
}

/// What a signal ends: the result that was found before is printed without it.
planner::NamedBatches other_batches(const SearchFlags& options, const SearchPage& page) {
  const Interruptible guard;
  return page.other_batches(options.other_batches ? planner::TryBatches::on_all : planner::TryBatches::on_one_number);
}

}  // namespace

WalkDisplay shown_walk(const CommonFlags& common, const Streams& streams, double candidates,
                       const planner::Goal& goal) {
  return {streams.terminal && !common.quiet, common.timing, candidates, goal};
}

void tell_rate(int64_t candidates, double seconds, Streams& streams) {
  streams.err << fmt::format("timing: {} candidates {:.3f} ms, {:.0f} per second\n", candidates, seconds * 1e3,
                             static_cast<double>(candidates) / seconds);
}

bool carries_on(const SearchFlags& options, const Partial& partial) {
  return options.common.format == "json" && partial.carries_on && (!options.shard.empty() || partial.result.stopped);
}

void rank_result(const SearchFlags& options, const planner::TieLaw& law, Partial& partial) {
  if (!carries_on(options, partial))
    partial.head.best = planner::rank_plans(partial.result.plans, law, partial.options.top);
}

EndedSearch ended_search(const planner::SearchResult& result, const SpaceText& space) {
  return {result, planner::choice_names(space.open.space), reread(space.kept, space.session),
          neighbours(space.kept, space.session), !space.open.sample.assertions.empty()};
}

SearchPage search_page(const Partial& partial, const EndedSearch& ended, const SpaceText& space) {
  const planner::OpenScenario& open = space.open;
  return {partial, ended, [&] { return planner::obstacles(open, partial.result); },
          [&] { return dsl::write_yaml(dsl::resolved(open.space.record())); },
          [&, space](planner::TryBatches tries) {
            const std::vector<dsl::Override> read = set_overrides(space.kept);
            planner::NamedBatches all{.tries = tries, .found = {}};
            planner::add_batches({space.source, read, space.session.catalog, space.session.sources}, open,
                                 partial.result, partial.options, {}, all);
            return all;
          }};
}

int print_search(const SearchFlags& options, const SearchPage& page, const SearchRivals& beside, Session& session,
                 Streams& streams, const char* command) {
  const Partial& partial = page.partial;
  const planner::SearchResult& result = partial.result;
  const bool carried_on = carries_on(options, partial);
  Report report = search_report(partial.head, partial.options, carried_on ? result : shown_part(result, options));
  report.picture = [&] { return search_picture(partial.head, partial.options, shown_part(result, options)); };
  report.resolved = page.resolved;
  CommonFlags shown = options.common;
  name_candidate_columns(shown.columns, shown.sort);
  shown.top.reset();  // the search has kept that number
  if (result.stopped) mark_interrupted(report, shown.columns);
  if (carried_on) add_partial(report, partial);
  if (beside.run) add_explanation(better_than(beside.run->loaded, page.ended), report);
  add_asked(options, page, streams, report);
  if (beside.why) add_why(*beside.why, page.ended, session, report);
  // Assertions are not evaluated on a part of a search, or on a stopped one.
  const bool whole = options.shard.empty() && !result.stopped;
  if (whole) add_other_batches(other_batches(options, page), report);
  const std::vector<planner::Assertion> assertions =
      whole ? assertions_of_best(page.ended) : std::vector<planner::Assertion>{};
  add_assertions(assertions, report);
  if (int status = print(std::move(report), shown, streams, command)) return status;
  if (result.stopped) return tell_interrupted(options.common, streams, "search");
  return report_assertions(failed_assertions(assertions), options.common, streams);
}

}  // namespace cli
