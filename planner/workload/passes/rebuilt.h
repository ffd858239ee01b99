// Who reads what recomputation makes again.
#pragma once

#include <vector>

#include "planner/workload/workload.h"

namespace planner {

/// Repeated operators read each other where their originals did, else kept tensors. Backward operators read the
/// repetitions that they need. `again`: for each earlier operator, its repetition, or kKept.
void read_again(Block& block, const std::vector<int>& again);

}  // namespace planner
