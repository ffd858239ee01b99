#include "cli/commands/best_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "cli/commands/interrupt.h"
#include "cli/commands/open.h"
#include "planner/plan/violations.h"
#include "planner/resolve/read.h"
#include "planner/search/rank_plans.h"
#include "planner/search/sweep.h"
#include "planner/studies/whatif/obstacles.h"

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

bool is_field(const std::string& path) {
  return std::ranges::any_of(planner::scenario_schema(), [&](const dsl::Field& f) { return f.path == path; });
}

/// {"parallelism.tp", "8"} of "tp=8", added to what is chosen: a field by its path, or by the last part of one of the
/// layout. Another entry, "cluster.use=dgx-b200", is one of `--set`. Nothing is added where it is neither (diagnosed).
void add_set(const std::string& set, ScenarioFlags& flags, dsl::Diagnostics& diagnostics) {
  const size_t equals = set.find('=');
  if (equals != std::string::npos && std::string_view(set).substr(0, equals).ends_with(".use"))
    return flags.set.push_back(set);
  planner::Sets& sets = flags.chosen;
  const std::string name = set.substr(0, equals), of_layout = "parallelism." + name;
  if (equals == std::string::npos)
    return diagnostics.error({}, fmt::format("--why: '{}' sets nothing", set),
                             "write a field and its value: tp=8,pp=4");
  for (const std::string& path : {of_layout, name})
    if (is_field(path)) return void(sets.emplace_back(path, set.substr(equals + 1)));
  std::vector<std::string> known;
  for (const dsl::Field& f : planner::scenario_schema())
    if (f.path.starts_with("parallelism.")) known.push_back(f.path.substr(of_layout.size() - name.size()));
  diagnostics.error({}, fmt::format("--why: unknown field '{}'", name), dsl::did_you_mean(name, known));
}

/// Whether an error is at a value that --why gave, such as "tp=four". A value with which another field cannot be read
/// is an answer.
bool mistyped(const dsl::Diagnostics& found) {
  return std::ranges::any_of(found.list, [](const dsl::Diagnostic& d) {
    return d.severity == dsl::Severity::error && d.span.source && d.span.source->name == "--set";
  });
}

/// "12 candidates have tp=8,pp=4: none is feasible".
std::string why_line(const LayoutReason& why) {
  const int64_t all = why.result.candidates, feasible = why.result.feasible;
  return fmt::format("{} candidate{} {} {}: {}", all, all == 1 ? "" : "s", all == 1 ? "has" : "have", why.layout,
                     feasible == 0     ? "none is feasible"
                     : feasible == all ? "all are feasible"
                                       : fmt::format("{} are feasible", feasible));
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
  if (!search.result.nearest || search.result.nearest->excess.shares == 0) return std::nullopt;
  const planner::Miss& miss = *search.result.nearest;
  // A hand-edited file for --resume may name a plan that is not a candidate.
  const auto candidate = search.reread(choice_sets(search.choices, miss.choices));
  if (!candidate || !planner::layout_violations(candidate->scenario).empty()) return std::nullopt;
  Nearest out{.choices = {}, .excess = miss.excess.shares, .miss = {}};
  for (size_t i = 0; i < search.choices.size(); ++i)
    if (!miss.choices[i].is_null()) out.choices.emplace_back(search.choices[i], miss.choices[i]);
  out.miss = planner::nearest_miss(choice_sets(search.choices, miss.choices), search.neighbours, search.reread);
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

std::optional<LayoutReason> ask_why(const std::vector<std::string>& layout, const ScenarioFlags& written,
                                    Session& session) {
  LayoutReason why{
      .layout = fmt::format("{}", fmt::join(layout, ",")), .flags = written, .open = std::nullopt, .reason = ""};
  for (const std::string& set : layout) add_set(set, why.flags, session.diagnostics);
  if (session.diagnostics.has_errors()) return std::nullopt;
  dsl::Diagnostics found;
  auto open = reopen(why.flags, session, found);
  if (!open) {
    if (mistyped(found)) return session.diagnostics.append(found), std::nullopt;
    why.reason = found.first_error();
    return why;
  }
  planner::SearchOptions options{.top = 1, .pareto = {}};
  options.stop = &interrupted();
  why.result = planner::ranked_search(*open, options);
  why.open.emplace(*std::move(open));
  return why;
}

void add_why(const LayoutReason& why, const EndedSearch& whole, Session& session, Report& report) {
  Report inside{.format = "", .document = {}};
  if (!why.open) {
    inside.text.emplace_back(fmt::format("{}: {}", why.layout, why.reason));
    inside.document.push_back({"reason", why.reason});
  } else {
    const EndedSearch part{why.result, planner::choice_names(why.open->space), reread(why.flags, session),
                           neighbours(why.flags, session)};
    inside.text.emplace_back(why_line(why));
    if (why.result.feasible > 0) add_explanation(worse_than(why.layout, part, whole), inside);
    else add_nearest(nearest(part), planner::obstacles(*why.open, why.result), inside);
  }
  Data::Object member{{"layout", why.layout}, {"candidates", why.result.candidates}, {"feasible", why.result.feasible}};
  std::ranges::move(inside.document, std::back_inserter(member));
  report.document.push_back({"why", std::move(member)});
  std::ranges::move(inside.text, std::back_inserter(report.text));
}

}  // namespace cli
