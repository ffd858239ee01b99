// Names of fields as people write them.
#pragma once

#include <string>

#include "planner/scenario/scenario.h"

namespace planner {

/// "cluster.network.nvlink.latency" -> "cluster.network[0].latency": an item of a list by its `name`, and the tiers
/// within and beyond a node as `intra_node` and `inter_node`. Anything else as it is.
std::string indexed_path(const std::string& path, const dsl::Record& record, const hw_profiles::Cluster& cluster);

}  // namespace planner
