// What a search for the shortest step may change, and what comes of it.
#pragma once

#include "planner/tuning/strategy.h"

namespace planner::tuning {

/// Where operators are fused, so are their gradients (dPRO, theorem 3).
struct Allowed {
  bool operator_fusion = true;
  bool gradient_fusion = true;
};

struct Found {
  Strategy strategy;
  Replay replay;
};

}  // namespace planner::tuning
