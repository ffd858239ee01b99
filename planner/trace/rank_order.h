// The ranks of a run, in their order.
#pragma once

#include <optional>
#include <vector>

#include "dsl/diagnostic.h"
#include "planner/trace/trace.h"

namespace planner::trace {

/// Puts ranks in their order. Whoever does not say its rank gets the smallest number that is free, in the order of the
/// files (a warning). Two files of one rank, a rank that the run does not have and runs of different sizes are
/// mistakes.
std::optional<Trace> order_ranks(std::vector<RankTrace> ranks, dsl::Diagnostics& diagnostics);

}  // namespace planner::trace
