#include "planner/search/make_blocks.h"

#include <utility>

#include "planner/plan/fitted_use.h"
#include "planner/search/groups.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

// Of the same sum.
void fold(std::vector<Saved>& saved, double bytes) {
  std::vector<Saved>().swap(saved);
  saved.push_back({.name = "", .bytes = bytes});
}

BlockOps take_ops(Workload& workload) {
  BlockOps ops;
  for (Block& block : workload.blocks) ops.push_back(std::exchange(block.ops, {}));
  return ops;
}

}  // namespace

// What stages need of blocks are sums, and the weights that both ends share.
BlockOps make_blocks(const Scenario& s, Blocks& made) {
  made.costed.workload = build_blocks(s);
  std::vector<Block>& blocks = made.costed.workload.blocks;
  made.shared = meet_in(groups_of_blocks(s), blocks);
  made.holdings = holdings_of(blocks);
  for (Block& block : blocks) {
    fold(block.saved, block.saved_bytes());
    std::vector<Moment>().swap(block.moments);
  }
  return take_ops(made.costed.workload);
}

void time_blocks(const Scenario& s, const BlockOps& ops, Blocks& made, const CallKeeper* calls) {
  const operator_models::Device device = device_of(s);
  for (const std::vector<WorkOp>& each : ops) {
    CostedBlock& block = made.costed.blocks.emplace_back();
    add_ops(s, device, each, block);
    made.priced &= all_priced(block.ops);
    if (calls) made.calls.push_back(calls->of_block(s, {}, block));
    std::vector<CostedOp>().swap(block.ops);
  }
}

BlockOps block_ops(const Scenario& s) {
  Workload again = build_blocks(s);
  return take_ops(again);
}

}  // namespace planner
