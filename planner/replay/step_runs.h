// Steps of a rank as a run of the graph has them.
#pragma once

#include <span>
#include <vector>

#include "planner/replay/rebucket.h"

namespace planner::replay {

/// Returns how long each of them is, as `trace::Step::window` is of what was measured. `came`: where reductions were
/// taken out and others put in.
std::vector<int64_t> lengths_in(const std::vector<trace::Step>& steps, size_t rank, const Replayed& replayed,
                                std::span<const Run> runs, const Rebucketed* came = nullptr);

/// Returns the mean over all steps of all ranks; 0 without steps.
double mean_seconds(const std::vector<std::vector<int64_t>>& lengths);

}  // namespace planner::replay
