// The shortest step there is.
#pragma once

#include "planner/tuning/search.h"

namespace planner::tuning {

/// Returns the strategy of the shortest step of all that fuse neighbours, operators where their gradients are
/// (theorem 3): of each prefix of the pieces all pairs of ends, of computation and reduction, that no other pair is
/// below. Takes the square of the number of pieces.
Found best_of_all(const Backward& pass, const Sync& sync, const Allowed& allowed);

}  // namespace planner::tuning
