// Changes the batch of an execution trace: tensors whose first size is the batch become larger or smaller.
//
// The batch is the most frequent first size of inputs of layers that multiply. A tensor belongs to the batch if its
// first size is the batch, or that of all ranks together. An output that is a view of such a tensor, or equally large,
// belongs to it too. All else stays: parameters (the other inputs of these layers, and their views), and lists of
// indices, whose growth is unknown.
#pragma once

#include <cstdint>
#include <string>

#include "planner/trace/execution.h"

namespace planner::replay {

/// Of a tensor, or of the batches of all ranks.
inline constexpr double kMostElements = 0x1p62;

/// Returns the batch of a rank; 0: no layer shows it.
int64_t batch_of(const trace::Execution& execution);

/// Makes the batch of a rank another one. `ranks`: of the run. Returns "" or why it cannot: a size passes
/// kMostElements.
std::string rebatch(trace::Execution& execution, int64_t batch, int64_t to, int64_t ranks);

}  // namespace planner::replay
