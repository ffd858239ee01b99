// Figures computed only for the plans that a search keeps in the end.
#pragma once

#include "planner/search/search_result.h"

namespace planner {

/// Marks hidden communication that is not computed yet.
inline constexpr double kNotYet = -1;

/// Computes the seconds of hidden communication of the plans and the front where they are `kNotYet`.
void complete(const OpenScenario& open, SearchResult& result);

}  // namespace planner
