// The parts of a walk that a shard gets. Blocks are the most expensive, and parts whose blocks read equal values share
// them: all such parts are one card, and cards are dealt to the shards.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// Returns the numbers of the parts that one of several shards walks, ascending, and behind them how many parts there
/// are. Every part is one shard's. `order`: the items by level.
std::vector<int64_t> dealt_parts(const OpenScenario& open, const std::vector<size_t>& order, int64_t shard,
                                 int64_t shards);

}  // namespace planner
