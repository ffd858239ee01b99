// The blocks that candidates share: how a search makes them.
#pragma once

#include "planner/search/shared.h"

namespace planner {

using BlockOps = std::vector<std::vector<WorkOp>>;  // by block

/// Makes what blocks hold, and returns their operators, which nobody keeps.
BlockOps make_blocks(const Scenario& scenario, Blocks& made);
/// Times them. `calls`: keeps what they communicate, too; null: nobody asks.
void time_blocks(const Scenario& scenario, const BlockOps& ops, Blocks& made, const CallKeeper* calls = nullptr);
/// Returns the operators of blocks as they are made for a scenario.
BlockOps block_ops(const Scenario& scenario);

}  // namespace planner
