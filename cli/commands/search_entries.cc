#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/limit.h"
#include "cli/commands/search_flags.h"
#include "cli/commands/search_output.h"
#include "cli/pages/search_report.h"
#include "dsl/write.h"
#include "planner/search/goal.h"
#include "planner/studies/entries/entries.h"
#include "planner/studies/whatif/obstacles.h"

namespace cli {
namespace {

using planner::EntrySearch;
using planner::EntrySpace;
using planner::EntrySpaces;

/// The first flag that asks something of one space.
std::string of_one_space(const SearchFlags& options) {
  const std::pair<bool, const char*> flags[] = {{!options.why.empty(), "--why"},
                                                {options.verify.has_value(), "--verify"},
                                                {!options.shard.empty(), "--shard"},
                                                {!options.checkpoint.empty(), "--checkpoint"},
                                                {!options.resume.empty(), "--resume"}};
  for (const auto& [given, name] : flags)
    if (given) return name;
  return "";
}

const planner::OpenScenario& scenario_of(const EntrySpace& space) { return space.read.scenario; }

/// Features not supported across entries: their fewest GPUs, and runs of several lengths.
void check_spaces(const EntrySpaces& spaces, const planner::SearchOptions& search, double limit, double& candidates,
                  dsl::Diagnostics& diagnostics) {
  for (const EntrySpace& space : spaces.spaces) {
    const planner::OpenScenario& open = scenario_of(space);
    candidates += check_limit(open, limit, 1, diagnostics);
    refuse_lengths(open.sample.lengths, open.space.record(), "a search over a list of entries", diagnostics);
    if (planner::reads_scaling(open, search.pareto)) {
      const dsl::Expression* reader = planner::scaling_reader(open);
      diagnostics.error(reader ? reader->span : dsl::Span{},
                        "scaling_efficiency compares with the fewest GPUs of one machine, and here are several",
                        "as a goal, 'tokens_per_second / gpus' orders the plans in the same way");
    }
    if (diagnostics.has_errors()) return;
  }
}

/// "a, b".
template <class Name> std::string distinct(const EntrySpaces& spaces, Name name) {
  std::vector<std::string> names;
  for (const EntrySpace& space : spaces.spaces)
    if (std::string one = name(scenario_of(space).sample); std::ranges::find(names, one) == names.end())
      names.push_back(std::move(one));
  return fmt::format("{}", fmt::join(names, ", "));
}

SearchHead head_of(const EntrySpaces& spaces, const EntrySearch& found) {
  SearchHead head = search_head(scenario_of(spaces.spaces.front()), spaces.opened);
  using planner::Scenario;
  head.title = fmt::format("{} on {}", distinct(spaces, [](const Scenario& s) { return s.model.name; }),
                           distinct(spaces, [](const Scenario& s) { return s.cluster.gpu.name; }));
  head.choices = spaces.choices;
  for (size_t i = 0; i < found.of_each.size(); ++i) {
    const planner::SearchResult& result = found.of_each[i];
    const std::string unpriced = search_head(scenario_of(spaces.spaces[i])).unpriced;
    head.parts.push_back({spaces.spaces[i].entries.name, result.candidates, result.evaluated, result.feasible,
                          result.uncertain, result.rejected, unpriced});
    if (unpriced.empty()) head.unpriced.clear();
  }
  return head;
}

/// What stood in the way of each entry, the largest count first.
std::vector<planner::Obstacle> obstacles_of(const EntrySpaces& spaces, const EntrySearch& found) {
  std::vector<planner::Obstacle> all;
  for (size_t i = 0; i < found.of_each.size(); ++i)
    for (planner::Obstacle& obstacle : planner::obstacles(scenario_of(spaces.spaces[i]), found.of_each[i])) {
      obstacle.message = spaces.spaces[i].entries.name + ": " + obstacle.message;
      all.push_back(std::move(obstacle));
    }
  std::ranges::stable_sort(all, std::greater(), &planner::Obstacle::candidates);
  return all;
}

planner::NamedBatches batches_of(const planner::ScenarioText& text, const EntrySpaces& spaces, const EntrySearch& found,
                                 const planner::SearchOptions& search, planner::TryBatches tries) {
  planner::NamedBatches all{.tries = tries, .found = {}};
  for (size_t i = 0; i < found.of_each.size(); ++i) {
    const EntrySpace& space = spaces.spaces[i];
    planner::add_batches({text.source, space.read.overrides, text.catalog, text.sources}, scenario_of(space),
                         found.of_each[i], search, space.entries, all);
  }
  return all;
}

}  // namespace

std::vector<planner::UsedEntries> entries_of(const dsl::Source& text, const ScenarioFlags& flags, Session& session) {
  const std::vector<dsl::Override> overrides = set_overrides(flags);
  return planner::alternatives_of({text, overrides, session.catalog, session.sources}, session.diagnostics);
}

std::optional<EntrySpaces> entry_spaces(const planner::ScenarioText& text,
                                        const std::vector<planner::UsedEntries>& alternatives,
                                        const planner::SearchOptions& search, double limit, double& candidates,
                                        dsl::Diagnostics& diagnostics) {
  auto spaces = planner::open_entries(text, alternatives, diagnostics);
  if (spaces) check_spaces(*spaces, search, limit, candidates, diagnostics);
  return diagnostics.has_errors() ? std::nullopt : std::move(spaces);
}

int run_search_of_entries(const SearchFlags& options, const dsl::Source& text,
                          const std::vector<planner::UsedEntries>& alternatives, planner::SearchOptions search,
                          double limit, Session& session, Streams& streams) {
  if (const std::string flag = of_one_space(options); !flag.empty())
    session.diagnostics.error(alternatives.front().uses.front().place,
                              fmt::format("{} is for one entry, and here is a list of them", flag),
                              fmt::format("{} takes one of them", sets_text(alternatives.front().uses)));
  const std::vector<dsl::Override> overrides = set_overrides(options.scenario);
  const planner::ScenarioText read{text, overrides, session.catalog, session.sources};
  double candidates = 0;
  const auto spaces = entry_spaces(read, alternatives, search, limit, candidates, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  session.diagnostics.list.clear();  // reported
  const planner::OpenScenario& first = scenario_of(spaces->spaces.front());
  search.threads = thread_count(options.scenario, candidates);
  const planner::TieLaw law = planner::tie_law(first);
  search.window = law.window();
  if (shows_picture(options.common) && search.pareto.empty()) search.pareto = picture_axes(first);
  const WalkDisplay shown = shown_walk(options.common, streams, candidates, first.sample.goal);
  const EntrySearch found = watched(search, shown, streams, [&] { return planner::search(*spaces, search); });
  Partial partial{
      .head = head_of(*spaces, found), .digest = "", .options = search, .result = found.all, .carries_on = false};
  rank_result(options, law, partial);
  const std::vector<planner::Found>& plans = partial.result.plans;
  const EndedSearch ended{partial.result, spaces->choices, planner::reread(read, *spaces),
                          planner::neighbours(read, *spaces), !first.sample.assertions.empty()};
  const EntrySpace& best = plans.empty() ? spaces->spaces.front() : space_of(*spaces, plans.front().position);
  const SearchPage page{partial, ended, [&] { return obstacles_of(*spaces, found); },
                        [&] { return dsl::write_yaml(dsl::resolved(scenario_of(best).space.record())); },
                        [&](planner::TryBatches tries) { return batches_of(read, *spaces, found, search, tries); }};
  if (int status = print_search(options, page, {}, session, streams)) return status;
  return found.all.feasible == 0 ? kNotFeasible : kDone;
}

}  // namespace cli
