// A few thousand looks at a space before it is walked: how good the plans are that it has for sure.
#pragma once

#include "planner/search/search.h"
#include "planner/search/shared.h"

namespace planner {

/// What candidates have for sure.
struct Scouted {
  /// An objective that as many different feasible candidates reach as the search keeps: what is worse is none of the
  /// plans. Infinity: not so many were found.
  double reached = std::numeric_limits<double>::infinity();
  std::map<int64_t, double> throughput;  // by number of GPUs: the best tokens per second and GPU that were found
};

/// Looks at none where the space is so small that a walk is no slower. The same for every run. `order`: the items by
/// level.
Scouted scout(const OpenScenario& open, const SearchOptions& options, const std::vector<size_t>& order,
              SharedParts& shared);

}  // namespace planner
