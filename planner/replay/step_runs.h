// Steps of a rank as a run of the graph has them.
#pragma once

#include <span>
#include <vector>

#include "planner/replay/rebucket.h"

namespace planner::replay {

/// Returns the length of each, defined like `trace::Step::window` of measured steps. `came`: if reductions were
/// replaced by others.
std::vector<int64_t> lengths_in(const std::vector<trace::Step>& steps, size_t rank, const Replayed& replayed,
                                std::span<const Run> runs, const Rebucketed* came = nullptr);

/// Returns the mean over all steps of all ranks; 0 without steps.
double mean_seconds(const std::vector<std::vector<int64_t>>& lengths);

}  // namespace planner::replay
