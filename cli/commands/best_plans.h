// Analyses of `search` after it has found its best plans, or none.
#pragma once

#include <optional>
#include <vector>

#include "cli/commands/common.h"
#include "cli/pages/compare_report.h"
#include "cli/pages/search_report.h"
#include "planner/plan/goals.h"
#include "planner/search/search.h"
#include "planner/studies/whatif/sensitivity.h"

namespace cli {

/// A search that ended, and how its scenario is read again with choices of its candidates set.
struct EndedSearch {
  const planner::SearchResult& result;
  std::vector<std::string> choices;  // names, of its candidates' values
  planner::Reread reread;
  planner::Neighbours neighbours;
  bool asserts = false;  // the scenario has assertions
};

/// The run that `search --from` holds the best layouts against.
struct KnownRun {
  planner::Found row;  // with its values of the search's choices
  planner::LoadedScenario loaded;
};

/// The run as it was written, before anything of it was opened. A run that has choices, and one whose layout does not
/// work, are diagnosed (absent). `choices`: paths. REQUIRES: the session's first source is the run's.
std::optional<KnownRun> known_run(const ScenarioFlags& written, const std::vector<std::string>& choices,
                                  Session& session);

/// --explain: row `rank` against the next one, the last against the first; nullopt if there is no such row, or only
/// one.
std::optional<Explained> explained(const EndedSearch& search, size_t rank);

/// --from: the best plan against the run, which has rank 0; nothing where nothing is feasible.
std::optional<Explained> better_than(const planner::LoadedScenario& run, const EndedSearch& search);

/// --why: the best plan of a part of the space, which is called `layout`, against the best of all; nothing where
/// nothing is feasible.
std::optional<Explained> worse_than(const std::string& layout, const EndedSearch& part, const EndedSearch& search);

/// --sensitivity: the parameters on which the best plan depends; empty if nothing is feasible.
std::vector<planner::Sensitivity> sensitivities(const EndedSearch& search);

/// The nearest miss of a search that found nothing feasible; nothing where no candidate was costed, or
/// where one breaks no limit and has no value of the goal.
std::optional<Nearest> nearest(const EndedSearch& search);

/// The scenario's assertions, evaluated on the best plan; empty if no plan is feasible.
std::vector<planner::Assertion> assertions_of_best(const EndedSearch& search);

/// `search --why tp=8,pp=4`: the part of a space that a layout names, searched separately.
struct LayoutReason {
  std::string layout;  // "tp=8,pp=4", as requested
  ScenarioFlags flags;
  std::optional<planner::OpenScenario> open;  // nullopt: these values give no valid scenario
  std::string reason;                         // why not
  planner::SearchResult result = {};
};

/// Searches the candidates that have the values of `layout` ("tp=8", by full or by last names). The choices need not
/// have these values. `written`: how the scenario was read. nullopt: the session reports an item of `layout` that is
/// not a field with its value.
std::optional<LayoutReason> ask_why(const std::vector<std::string>& layout, const ScenarioFlags& written,
                                    Session& session);

/// Adds the member `why` and its part of the page. `whole`: the search whose best plan the layout is held against.
void add_why(const LayoutReason& why, const EndedSearch& whole, Session& session, Report& report);

}  // namespace cli
