#include "planner/search/groups.h"

#include <algorithm>

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

}  // namespace planner
