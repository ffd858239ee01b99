// An execution trace of another batch: tensors whose first size is the batch become larger or smaller.
//
// The batch is what most inputs of layers that multiply have as their first size. A tensor is of the batch where its
// first size is the batch, or that of all ranks together; so is what an operator gives that is a view of such a tensor,
// or as large. All else stays: parameters, and lists of indices, of which nothing says how they grow.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/trace/execution.h"

namespace planner::replay {

/// Returns the batch of a rank; 0: no layer says it.
int64_t batch_of(const trace::Execution& execution);

/// Makes the batch of a rank another one. `ranks`: of the run.
void rebatch(trace::Execution& execution, int64_t batch, int64_t to, int64_t ranks);

}  // namespace planner::replay
