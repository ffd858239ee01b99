// What `search` asks about its best plans, or about none, once they are found.
#pragma once

#include <optional>
#include <vector>

#include "cli/commands/common.h"
#include "cli/pages/explain_report.h"
#include "cli/pages/nearest_report.h"
#include "planner/plan/goals.h"
#include "planner/search/search.h"
#include "planner/studies/whatif/sensitivity.h"

namespace cli {

/// A search that ended, and how its scenario is read again with choices of its candidates set.
struct Ended {
  const planner::SearchResult& result;
  std::vector<std::string> choices;  // names, of its candidates' values
  planner::Reread reread;
  bool asserts = false;  // the scenario has assertions
};

/// --explain: row `rank` against the next one, the last against the first; nothing where there is no such row or only
/// one.
std::optional<Explained> explained(const Ended& search, size_t rank);

/// --from: the best plan against the run, which has rank 0; nothing where nothing is feasible.
std::optional<Explained> better_than(const planner::LoadedScenario& run, const Ended& search);

/// --why: the best plan of a part of the space, which is called `layout`, against the best of all; nothing where
/// nothing is feasible.
std::optional<Explained> worse_than(const std::string& layout, const Ended& part, const Ended& search);

/// --sensitivity: what the best plan depends on; empty where nothing is feasible.
std::vector<planner::Sensitivity> sensitivities(const Ended& search);

/// The nearest miss of a search that found nothing feasible; nothing where no candidate was costed, or
/// where one breaks no limit and has no value of the goal.
std::optional<Nearest> nearest(const Ended& search);

/// What the scenario asserts, asked of the best plan; nothing where no plan is feasible.
std::vector<planner::Assertion> assertions_of_best(const Ended& search);

}  // namespace cli
