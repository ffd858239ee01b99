#include "cli/commands/known_run.h"

#include <fmt/format.h>

#include "planner/plan/violations.h"
#include "planner/resolve/read.h"
#include "planner/search/sweep.h"

namespace cli {
namespace {

/// The first rule that the layout breaks.
void tell_broken(const planner::Scenario& scenario, Session& session) {
  for (const planner::Violation& v : planner::layout_violations(scenario))
    return session.diagnostics.error({&session.sources.front(), 1, 1, 0},
                                     fmt::format("the run does not work: {}: {}", v.rule, v.message),
                                     "`trainplan plan` says more; --set changes a field of it");
}

}  // namespace

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
