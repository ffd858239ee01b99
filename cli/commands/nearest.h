// What `search` says where nothing is feasible.
#pragma once

#include "cli/commands/common.h"
#include "planner/search/search.h"

namespace cli {

/// Adds the members `nearest` and `obstacles` and their part of the page. REQUIRES: nothing is feasible, and `open` was
/// read from `session.sources.front()` with the --set values of `options`.
void add_nearest(const planner::SearchResult& result, const planner::OpenScenario& open, const Options& options,
                 Session& session, Report& report);

}  // namespace cli
