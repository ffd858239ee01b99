// Dependencies of kernels by tensors, from an execution trace; streams do not contain them.
//
// The kernels of an operator begin after those of the operators that it depends on. Measured times agree already, so a
// replay without changes is unaffected. If kernels are moved or their streams no longer order them, these edges still
// do. An operator without device work, a view, passes on its own dependencies.
#pragma once

#include <span>

#include "planner/replay/replayed.h"
#include "planner/trace/dependencies.h"

namespace planner::replay {

/// Adds the edges (Cause::data) of dependencies between the operators of a rank, from the last kernel of each stream
/// of the one to the first kernel of each stream of the other. Those that the measured times contradict are left out.
/// Returns how many there are now.
size_t add_data_edges(const trace::RankTrace& rank, size_t number, std::span<const trace::Dependency> dependencies,
                      Replayed& replayed);

}  // namespace planner::replay
