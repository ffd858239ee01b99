// The forward pass of a part of the batch in blocks, of which the first ones are computed again before their backward
// pass.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/replay/step_work.h"

namespace planner::replay {

struct ForwardBlock {
  size_t first = 0, last = 0;  // units
  double kept_bytes = 0;       // for the backward pass
  double input_bytes = 0;      // of its first unit: what is kept where it is computed again
};

/// Returns so many blocks at most, which keep about as much each; where nobody says how much, of as many units.
std::vector<ForwardBlock> blocks_of(const Round& round, size_t blocks);

/// How many blocks recomputation usually has: the root of the units (Chen et al. 2016, section 4.1).
size_t usual_blocks(const Round& round);

/// Returns the most that is kept at any time, where the first blocks are computed again: when the backward pass is at a
/// block, those before it keep what they keep, it has all of its own, and those behind it are done.
double kept_bytes(const std::vector<ForwardBlock>& blocks, size_t recomputed);

}  // namespace planner::replay
