// An execution trace of another batch: tensors whose first size is the batch become larger or smaller.
//
// The batch is what most inputs of layers that multiply have as their first size. A tensor is of the batch where its
// first size is the batch, or that of all ranks together; so is what an operator gives that is a view of such a tensor,
// or as large. All else stays: parameters, which are the other inputs of these layers and their views, and lists of
// indices, of which nothing says how they grow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/trace/execution.h"

namespace planner::replay {

/// Of a tensor, or of the batches of all ranks.
inline constexpr double kMostElements = 0x1p62;

/// Returns the batch of a rank; 0: no layer says it.
int64_t batch_of(const trace::Execution& execution);

/// Makes the batch of a rank another one. `ranks`: of the run. Returns "" or why it cannot: a size passes
/// kMostElements.
std::string rebatch(trace::Execution& execution, int64_t batch, int64_t to, int64_t ranks);

}  // namespace planner::replay
