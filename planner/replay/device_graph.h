// The device's part of a rank's graph: its streams, in their order, and what launches what.
#pragma once

#include <vector>

#include "planner/replay/rank_parts.h"

namespace planner::replay {

/// Adds a node for each of its events. `shared`: for each event whether it is one of several ranks, whose end
/// `join_ranks` knows; it has two, its arrival and its end.
void add_device_nodes(const std::vector<bool>& shared, RankParts& parts);
/// Adds launches, the order of each stream, and events of others that it waits for. REQUIRES: all nodes are there.
void chain_device(RankParts& parts);

}  // namespace planner::replay
