// The groups of ranks that blocks and shards communicate in: candidates that have the same may share them.
#pragma once

#include <string>
#include <vector>

#include "planner/workload/workload.h"

namespace planner {

using Groups = std::vector<operator_models::Group>;

/// The groups that a block's communication may run in.
Groups groups_of_blocks(const Scenario& s);
/// The groups that share parameters.
Groups groups_of_shards(const Scenario& s);
/// Equal groups, equal keys.
std::string key_of(const Groups& groups);
/// Returns whether all collectives of the blocks run in those groups. A pass that takes another one into a block costs
/// speed, and gives no wrong figure.
bool meet_in(const Groups& groups, const std::vector<Block>& blocks);

}  // namespace planner
