// A measured run that its table names as a file: the scenario as a user wrote it.
#pragma once

#include <vector>

#include "planner/plan/violations.h"
#include "planner/studies/runs/row_scenario.h"

namespace planner {

/// The scenario that a run's configuration is planned as.
struct RunScenario {
  std::string skipped;  // why there is none; empty: there is one
  std::optional<Scenario> scenario;
  std::string layout;
  std::vector<Assumption> assumptions;
  std::string bad_override;
  std::vector<Violation> refusals = {};  // rules of its program that it breaks
};

/// Returns the mistake in a `--set`, rendered; "" if there is none.
std::string override_mistake(const dsl::Diagnostics& diagnostics);

/// A scenario with choices, or whose layout is left to a search, gives its best plan: the layout was not published.
/// REQUIRES: `config.scenario` is its text.
RunScenario file_scenario(const RunConfig& config, const dsl::Catalog& catalog,
                          const std::vector<dsl::Override>& overrides);

}  // namespace planner
