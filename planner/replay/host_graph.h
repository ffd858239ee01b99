// The host's part of a rank's graph: its threads, in their order, and what they wait for.
#pragma once

#include "planner/replay/rank_parts.h"

namespace planner::replay {

/// Adds a node for each call, and two for one that waits for its device: before it waits, and when it returns.
void add_host_nodes(RankParts& parts);
/// Adds the order of each thread, and where one thread hands over to another. REQUIRES: the nodes are there.
void chain_host(RankParts& parts);
/// Adds what calls wait for on the device. REQUIRES: its nodes are there.
void synchronise_host(RankParts& parts);

}  // namespace planner::replay
