// `search --sensitivity`: what the best plan depends on.
#pragma once

#include "cli/commands/common.h"
#include "planner/search/search.h"

namespace cli {

/// Adds the member `sensitivity` and its block of the page; an empty list where nothing is feasible.
/// REQUIRES: `open` was read from `session.sources.front()` with the --set values of `options`.
void add_sensitivity(const planner::SearchResult& result, const planner::OpenScenario& open, const Options& options,
                     Session& session, Report& report);

}  // namespace cli
