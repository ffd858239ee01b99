#include "planner/studies/runs/file_scenario.h"

#include "dsl/write.h"
#include "planner/plan/goals.h"
#include "planner/resolve/with_layout.h"
#include "planner/search/search.h"

namespace planner {
namespace {

/// The choices of the best plan; empty if nothing is open, or nothing is feasible.
Sets best_choices(const OpenScenario& open) {
  const std::vector<std::string> names = choice_names(open.space);
  Sets chosen;
  if (names.empty()) return chosen;
  const SearchResult found = search(open, {.top = 1, .pareto = {}});
  if (found.plans.empty()) return chosen;
  for (size_t i = 0; i < names.size(); ++i)
    chosen.emplace_back(names[i], dsl::write_value(found.plans.front().choices[i]));
  return chosen;
}

}  // namespace

std::string override_mistake(const dsl::Diagnostics& diagnostics) {
  for (const dsl::Diagnostic& d : diagnostics.list)
    if (d.severity == dsl::Severity::error && d.span.source && d.span.source->name == "--set") return dsl::render(d);
  return {};
}

RunScenario file_scenario(const RunConfig& config, const dsl::Catalog& catalog,
                          const std::vector<dsl::Override>& overrides) {
  RunScenario out{.layout = config.file};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source& source = sources.emplace_back(dsl::Source{config.file, config.scenario, ""});
  const ScenarioText text{source, overrides, catalog, sources};
  const std::optional<WithLayout> open = read_with_layout(text, Opens::said, diagnostics);
  if (open) {
    dsl::Diagnostics told;  // warnings, reported again
    auto loaded = read_scenario(source, open->overrides, catalog, sources, told,
                                {.pick_first = true, .chosen = best_choices(open->scenario)});
    if (loaded) {
      out.refusals = refusals_of_program(*loaded);
      out.scenario = std::move(loaded->scenario);
    } else out.skipped = "invalid scenario: " + told.first_error();
  } else out.skipped = "invalid scenario: " + diagnostics.first_error();
  out.bad_override = override_mistake(diagnostics);
  return out;
}

}  // namespace planner
