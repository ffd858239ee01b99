// From the states of walks to the result of a search.
//
// Figures computed only for the plans that a search keeps in the end.
#pragma once

#include <span>

#include "planner/search/collector.h"
#include "planner/search/search_result.h"

namespace planner {

/// Marks hidden communication that is not computed yet.
inline constexpr double kNotYet = -1;

/// Computes the seconds of hidden communication of the plans and the front where they are `kNotYet`.
void complete(const OpenScenario& open, SearchResult& result);

/// Adds efficiencies to the results of one or several walks. `base`: the tokens per second and GPU to which
/// scaling_efficiency is relative; 0: those of the best candidate on the fewest GPUs.
SearchResult conclude(Collector all, double base);

/// Unites the results of walks over different parts of one space: the result equals that of a single walk, to the last
/// bit. REQUIRES: each kept `options.top` plans or more, the fronts are along `options.pareto`, and neither goal nor
/// conditions read scaling_efficiency (a part does not know the fewest GPUs of the space).
SearchResult unite(std::span<const SearchResult> parts, const SearchOptions& options);

}  // namespace planner
