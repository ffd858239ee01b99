// Costs every combination of a scenario's choices: the best for the goal, the Pareto front, why the rest was refused.
//
//     OpenScenario -> Cursor -> Candidate -> Plan -> Results -> Collector -> SearchResult
//
// All candidates solve the same problem: choices open the layout, not the training task, unless the scenario does so.
#pragma once

#include "planner/search/search_result.h"

namespace planner {

SearchResult search(const OpenScenario& open, const SearchOptions& options);

/// Returns whether a walk of the options' shard, with at most `threads` threads, may have this left to do.
bool may_be_left(const OpenScenario& open, const Unfinished& left, const SearchOptions& options, int64_t threads);

}  // namespace planner
