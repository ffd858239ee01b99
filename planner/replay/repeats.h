// Kernels of a step that run again: those of parts of a batch, and of blocks that are computed again (pass_edits.h).
#pragma once

#include "planner/replay/pass_edits.h"

namespace planner::replay {

/// Puts them in on one rank: parts but the last before its forward pass, blocks before their backward pass. Times are
/// those that the graph has by now.
std::vector<Repeated> repeat(const PassEdits& edits, const trace::RankTrace& rank, size_t number, const RankWork& work,
                             Replayed& replayed);

}  // namespace planner::replay
