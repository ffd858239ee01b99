#include "cli/commands/best_plans.h"

#include <fmt/format.h>

#include <cassert>

#include "cli/commands/open.h"
#include "planner/plan/violations.h"
#include "planner/resolve/read.h"
#include "planner/search/sweep.h"

namespace cli {
namespace {

planner::LoadedScenario scenario_of(const planner::Found& found, const EndedSearch& search) {
  auto loaded = search.reread(choice_sets(search.choices, found.choices));
  assert(loaded && "a candidate that was costed is a scenario");
  return *std::move(loaded);
}

PlannedRow planned(size_t rank, std::string name, planner::LoadedScenario loaded) {
  planner::Plan plan = planner::make_unchecked_plan(loaded.scenario);
  return {rank, std::move(name), std::move(loaded), std::move(plan)};
}

PlannedRow row_of(const EndedSearch& search, size_t rank) {
  return planned(rank, fmt::format("plan {}", rank), scenario_of(search.result.plans[rank - 1], search));
}

Explained held(PlannedRow a, PlannedRow b) {
  Explained out{.a = std::move(a), .b = std::move(b), .differences = {}, .crossovers = {}};
  out.differences = planner::compare(out.a.loaded, out.b.loaded);
  out.crossovers = planner::crossovers(out.a.loaded, out.b.loaded);
  return out;
}

/// The first rule that the layout breaks.
void tell_broken(const planner::Scenario& scenario, Session& session) {
  for (const planner::Violation& v : planner::layout_violations(scenario))
    return session.diagnostics.error({&session.sources.front(), 1, 1, 0},
                                     fmt::format("the run does not work: {}: {}", v.rule, v.message),
                                     "`trainplan plan` says more; --set changes a field of it");
}

}  // namespace

std::optional<Explained> explained(const EndedSearch& search, size_t rank) {
  const size_t rows = search.result.plans.size();
  if (rank > rows || rows < 2) return std::nullopt;
  return held(row_of(search, rank), row_of(search, rank < rows ? rank + 1 : 1));
}

std::optional<Explained> better_than(const planner::LoadedScenario& run, const EndedSearch& search) {
  if (search.result.plans.empty()) return std::nullopt;
  return held(planned(0, "the run", run), row_of(search, 1));
}

std::optional<Explained> worse_than(const std::string& layout, const EndedSearch& part, const EndedSearch& search) {
  if (part.result.plans.empty() || search.result.plans.empty()) return std::nullopt;
  return held(row_of(search, 1), planned(0, layout, scenario_of(part.result.plans.front(), part)));
}

std::vector<planner::Sensitivity> sensitivities(const EndedSearch& search) {
  if (search.result.plans.empty()) return {};
  return planner::sensitivities(scenario_of(search.result.plans.front(), search).scenario);
}

std::vector<planner::Assertion> assertions_of_best(const EndedSearch& search) {
  if (!search.asserts || search.result.plans.empty()) return {};
  const planner::Found& best = search.result.plans.front();
  return planner::assertions_of(best.results, scenario_of(best, search));
}

std::optional<Nearest> nearest(const EndedSearch& search) {
  // One that breaks no limit has no value of the goal, such as a price.
  if (!search.result.nearest || search.result.nearest->excess == 0) return std::nullopt;
  const planner::Miss& miss = *search.result.nearest;
  // A file that --resume reads may have been made by hand, and name one that is no candidate.
  const auto candidate = search.reread(choice_sets(search.choices, miss.choices));
  if (!candidate || !planner::layout_violations(candidate->scenario).empty()) return std::nullopt;
  Nearest out{.choices = {}, .excess = miss.excess, .miss = {}};
  for (size_t i = 0; i < search.choices.size(); ++i)
    if (!miss.choices[i].is_null()) out.choices.emplace_back(search.choices[i], miss.choices[i]);
  out.miss = planner::nearest_miss(choice_sets(search.choices, miss.choices), search.reread);
  return out;
}

std::optional<KnownRun> known_run(const ScenarioFlags& written, const std::vector<std::string>& choices,
                                  Session& session) {
  const dsl::Source& source = session.sources.front();
  const std::vector<dsl::Override> overrides = set_overrides(written);
  dsl::Diagnostics told;  // where the scenario is read with its choices
  auto loaded = planner::read_scenario(source, overrides, session.catalog, session.sources, session.diagnostics);
  const auto open = planner::read_open_scenario(source, overrides, session.catalog, session.sources, told);
  if (!loaded || !open) return std::nullopt;
  std::optional<planner::Outcome> outcome;
  planner::sweep(*open, [&](const planner::Swept& swept) {
    outcome = swept.found;
    return false;
  });
  if (!outcome) {
    tell_broken(loaded->scenario, session);
    return std::nullopt;
  }
  KnownRun run{.row = {}, .loaded = *std::move(loaded)};
  static_cast<planner::Outcome&>(run.row) = *std::move(outcome);
  for (const std::string& path : choices) {
    const dsl::Slot* slot = run.loaded.record.find(path);
    run.row.choices.push_back(slot ? slot->value : dsl::Value{});
  }
  return run;
}

}  // namespace cli
