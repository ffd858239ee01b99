// The blocks that candidates share: how a search makes them.
#pragma once

#include "planner/search/shared.h"

namespace planner {

using BlockOps = std::vector<std::vector<WorkOp>>;  // by block

/// Fills in the blocks, and returns their operators, which are not kept.
BlockOps make_blocks(const Scenario& scenario, Blocks& made);
/// Times them. `calls`: also keeps their communication; null: not needed.
void time_blocks(const Scenario& scenario, const BlockOps& ops, Blocks& made, const CallKeeper* calls = nullptr);
/// Returns the operators of blocks as they are made for a scenario.
BlockOps block_ops(const Scenario& scenario);

}  // namespace planner
