// The blocks that candidates share: how a search makes them.
//
// The groups of ranks that blocks and shards communicate in: candidates that have the same may share them.
#pragma once

#include <string>
#include <vector>

#include "planner/search/shared.h"
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

using BlockOps = std::vector<std::vector<WorkOp>>;  // by block

/// Fills in the blocks, and returns their operators, which are not kept.
BlockOps make_blocks(const Scenario& scenario, Blocks& made);
/// Times them. `calls`: also keeps their communication; null: not needed.
void time_blocks(const Scenario& scenario, const BlockOps& ops, Blocks& made, const CallKeeper* calls = nullptr);
/// Returns the operators of blocks as they are made for a scenario.
BlockOps block_ops(const Scenario& scenario);

}  // namespace planner
