// Who reads what recomputation makes again.
#pragma once

#include <vector>

#include "planner/workload/workload.h"

namespace planner {

/// Repeated operators read one another where their originals did, else what was kept; backward operators read what they
/// need of them. `again`: for each operator that was there before, its repetition, or kKept.
void read_again(Block& block, const std::vector<int>& again);

}  // namespace planner
