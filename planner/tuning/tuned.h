// What frameworks do by default, what their setting would be at its best, and the best there is.
#pragma once

#include <vector>

#include "planner/tuning/best_of_all.h"
#include "planner/tuning/frameworks.h"
#include "planner/tuning/rounds.h"

namespace planner::tuning {

/// A framework with its default, and with the size of the shortest step: of the powers of two from 64 KiB to 4 GiB and
/// the default. Of equal steps the default, else the smallest.
struct TunedFramework {
  const Framework* framework = nullptr;
  Replay by_default, best;
  double best_bytes = 0;
};

struct Tuned {
  std::vector<TunedFramework> frameworks;  // those that fuse operators where that saves something
  Found gradients;                         // the best where operators stay as they are
  Found rounds;                            // of the theorems, from nothing fused
  Found best;                              // of all strategies
};

Tuned tune(const Backward& pass, const Sync& sync);

}  // namespace planner::tuning
