// A few thousand looks at a space before it is walked: how good the plans are that it has for sure.
#pragma once

#include "planner/search/collector.h"
#include "planner/search/shared.h"

namespace planner {

/// Returns the best feasible candidates that were found, and the best tokens per second and GPU by number of GPUs;
/// counts no candidate. Empty if the space is so small that a walk is as fast. The same for every run. `order`: the
/// items by level; `candidates`: about how many the space has. REQUIRES: `options` outlives it.
Collector scout(const OpenScenario& open, const SearchOptions& options, const std::vector<size_t>& order,
                double candidates, SharedParts& shared);

}  // namespace planner
