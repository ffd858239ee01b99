// `search --explain N`: where row N's time goes against the next one, and what would turn their order.
#pragma once

#include "cli/commands/common.h"
#include "planner/search/search.h"

namespace cli {

/// Adds the member `explain` and its part of the page; null, with a warning on `err`, where there is no such row or
/// only one. REQUIRES: `result` holds row N + 1 if there is one; `open` was read from `session.sources.front()`.
void add_explanation(const planner::SearchResult& result, const planner::OpenScenario& open, const Options& options,
                     Session& session, Streams& streams, Report& report);

}  // namespace cli
