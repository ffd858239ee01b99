#include "planner/search/prefixes.h"

#include <algorithm>

#include "planner/plan/violations.h"
#include "planner/search/influence.h"
#include "planner/search/readers.h"
#include "planner/search/rule_memo.h"

namespace planner {
namespace {

constexpr size_t kFewFree = 12, kMostFree = 1 << 20;  // combinations of free choices
constexpr size_t kManyFree = 4;                       // free choices whose order is worth a look at blocks

// By rule, the open items on which it depends.
std::vector<std::vector<size_t>> deciding(const OpenScenario& open) {
  std::vector<std::vector<size_t>> all;
  for (size_t rule = 0; rule < layout_rule_count(); ++rule) {
    std::vector<size_t> items = items_read(open, rule);
    if (never_broken(open, rule)) items.clear();
    all.push_back(std::move(items));
  }
  return all;
}

uint32_t parts_of(const OpenScenario& open, size_t item) {
  const dsl::OpenItem& of = open.space.items()[item];
  return of.field ? readers_of(of.path) : 0;
}

// The first layout rule that depends on an item; as many as there are rules: none does.
size_t first_rule(const std::vector<std::vector<size_t>>& by_rule, size_t item) {
  const auto has = [&](const std::vector<size_t>& items) { return std::ranges::count(items, item) > 0; };
  return static_cast<size_t>(std::ranges::find_if(by_rule, has) - by_rule.begin());
}

bool may_be_free(const OpenScenario& open, const std::vector<std::vector<size_t>>& by_rule, size_t item) {
  const dsl::OpenItem& of = open.space.items()[item];
  return of.field && (acts_through_blocks(of.path) || is_host_share(of.path)) && open.space.stands_alone(item) &&
         first_rule(by_rule, item) == by_rule.size();
}

// By item. Of a few combinations to look at each is no slower than what all of them come to.
std::vector<bool> free_items(const OpenScenario& open, const std::vector<std::vector<size_t>>& by_rule) {
  const std::vector<dsl::OpenItem>& items = open.space.items();
  std::vector<bool> free(items.size(), false);
  if (open.space.together()) return free;
  size_t combinations = 1;
  for (size_t item = 0; item < items.size(); ++item) {
    free[item] = may_be_free(open, by_rule, item);
    if (free[item]) combinations = std::min(combinations * items[item].values.size(), kMostFree);
  }
  return combinations < kFewFree ? std::vector<bool>(items.size(), false) : free;
}

std::vector<size_t> order_by_parts(const OpenScenario& open) {
  const std::vector<std::vector<size_t>> by_rule = deciding(open);
  const std::vector<bool> free = free_items(open, by_rule);
  return open.space.walk_order([&](size_t item) {
    const uint32_t parts = parts_of(open, item);
    // Rules are asked in order: what an early one reads is settled early.
    size_t rank = first_rule(by_rule, item);
    if (free[item]) rank = layout_rule_count() + (is_host_share(open.space.items()[item].path) ? 1 : 2);
    // From what costs most to what costs least.
    for (uint32_t part : {uint32_t{kMemory}, uint32_t{kBlocks}, kPlacement | kShards | kUnits, uint32_t{kStages},
                          uint32_t{kPipeline}, uint32_t{kStepOps}})
      rank = 2 * rank + ((parts & part) ? 0 : 1);
    return static_cast<int>(rank);
  });
}

}  // namespace

size_t free_from(const OpenScenario& open, const std::vector<size_t>& order) {
  const std::vector<bool> free = free_items(open, deciding(open));
  size_t level = order.size();
  while (level > 0 && free[order[level - 1]]) --level;
  return level;
}

std::vector<size_t> walk_order(const OpenScenario& open) {
  std::vector<size_t> order = order_by_parts(open);
  size_t from = free_from(open, order);
  while (from < order.size() && is_host_share(open.space.items()[order[from]].path)) ++from;
  if (order.size() - from < kManyFree) return order;
  const std::vector<Influence> by_level = influence(open, order, from);
  std::vector<std::pair<Influence, size_t>> free;
  for (size_t level = from; level < order.size(); ++level) free.emplace_back(by_level[level], order[level]);
  std::ranges::stable_sort(free, std::ranges::greater(), &std::pair<Influence, size_t>::first);
  for (size_t i = 0; i < free.size(); ++i) order[from + i] = free[i].second;
  return order;
}

Prefixes::Prefixes(const OpenScenario& open, const std::vector<size_t>& order) {
  const auto deepest = [&](const auto& decides) {
    size_t level = order.size();
    while (level > 0 && !decides(order[level - 1])) --level;
    return level > 0 ? level - 1 : 0;
  };
  size_t deepest_rule = 0;  // of those up to this one: each before it holds
  for (const std::vector<size_t>& items : deciding(open)) {
    const size_t own = deepest([&](size_t item) { return std::ranges::count(items, item) > 0; });
    by_rule_.push_back(deepest_rule = std::max(deepest_rule, own));
  }
  memory_ = std::max(deepest_rule, deepest([&](size_t item) { return (parts_of(open, item) & kMemory) != 0; }));
}

}  // namespace planner
