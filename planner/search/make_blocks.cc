#include "planner/search/make_blocks.h"

#include <algorithm>
#include <utility>

#include "planner/plan/fitted_use.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

template <class T> void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append(std::string& key, const operator_models::Group& group) {
  append(key, group.ranks);
  for (int64_t inside : group.inside) append(key, inside);
}

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

// Tables of a fixed list are dealt to data ranks.
Groups groups_of_blocks(const Scenario& s) {
  Groups groups;
  for (const Degree& degree : degrees())
    if (degree.meets == Meets::in_blocks) groups.push_back(group_of(s, degree.value));
  if (s.software.context == Context::all_to_all_ring)
    for (const operator_models::Group& group : {exchange_group(s), ring_group(s)}) groups.push_back(group);
  if (!s.model.operators.empty()) groups.push_back(data_group(s));
  return groups;
}

Groups groups_of_shards(const Scenario& s) { return {shard_group(s), expert_shard_group(s)}; }

std::string key_of(const Groups& groups) {
  std::string key;
  for (const operator_models::Group& group : groups) append(key, group);
  return key;
}

bool meet_in(const Groups& groups, const std::vector<Block>& blocks) {
  const auto is_known = [&](const operator_models::Group& group) {
    return group.ranks == 1 || std::ranges::any_of(groups, [&](const operator_models::Group& own) {
             return own.ranks == group.ranks && own.inside == group.inside;
           });
  };
  for (const Block& block : blocks)
    for (const WorkOp& op : block.ops)
      if (const auto* c = std::get_if<operator_models::Collective>(&op.op); c && !is_known(c->group)) return false;
  return true;
}

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
