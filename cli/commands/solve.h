// `search --solve PATH --until CONDITION`: the value of a field at which the best plan begins to meet a condition.
#pragma once

#include "cli/commands/search_flags.h"
#include "planner/search/search.h"

namespace cli {

/// REQUIRES: `options` has both flags. `search`: how each value is searched.
int run_solve(const SearchFlags& options, const planner::SearchOptions& search, Streams& streams);

}  // namespace cli
