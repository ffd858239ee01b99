// Moves, swaps and other cuts that bring the predicted step down, from a placement that a sharder made.
#pragma once

#include <functional>

#include "planner/tables/trial.h"

namespace planner::tables {

struct SearchEffort {
  uint64_t seed = 1;
  double evaluations = 5e6;  // at most about this many changes are tried
  int64_t kicks = 200;       // so often it goes on from a best placement of which a few parts were moved at random
};

/// How far a search is, and the best step so far.
struct SearchProgress {
  double share = 0, seconds = 0;
};
using Watch = std::function<void(const SearchProgress&)>;

/// The best placement that it finds; never worse than the start. `cuts`: tables may also take their other options. The
/// same for the same arguments.
Placement improve(const PlacementProblem& problem, Placement start, bool cuts, const SearchEffort& effort,
                  const Watch& watch = {});

}  // namespace planner::tables
