#include "planner/search/prefixes.h"

#include <algorithm>

#include "planner/plan/violations.h"
#include "planner/scenario/field_setter.h"
#include "planner/search/readers.h"

namespace planner {
namespace {

bool reads(const OpenScenario& open, size_t rule, size_t item) {
  const dsl::OpenItem& of = open.space.items()[item];
  return of.field && layout_rule_reads(rule, of.path, open.sample);
}

// The open items that a rule reads.
std::vector<size_t> items_of(const OpenScenario& open, size_t rule) {
  std::vector<size_t> items;
  for (size_t i = 0; i < open.space.items().size(); ++i)
    if (reads(open, rule, i)) items.push_back(i);
  return items;
}

// A rule that reads one open choice, and is broken by none of its values, decides nothing.
bool always_holds(const OpenScenario& open, size_t rule, size_t item) {
  const dsl::OpenItem& of = open.space.items()[item];
  if (of.values.empty()) return false;
  Scenario s = open.sample;
  const dsl::Setter set = field_setter(s, of.path);
  return std::ranges::none_of(of.values, [&](const dsl::Value& value) {
    set(value);
    return breaks_layout_rule(rule, s);
  });
}

// By rule, the open items on which it depends.
std::vector<std::vector<size_t>> deciding(const OpenScenario& open) {
  std::vector<std::vector<size_t>> all;
  for (size_t rule = 0; rule < layout_rule_count(); ++rule) {
    std::vector<size_t> items = items_of(open, rule);
    if (items.size() == 1 && always_holds(open, rule, items.front())) items.clear();
    all.push_back(std::move(items));
  }
  return all;
}

uint32_t parts_of(const OpenScenario& open, size_t item) {
  const dsl::OpenItem& of = open.space.items()[item];
  return of.field ? readers_of(of.path) : 0;
}

}  // namespace

std::vector<size_t> walk_order(const OpenScenario& open) {
  const std::vector<std::vector<size_t>> by_rule = deciding(open);
  return open.space.walk_order([&](size_t item) {
    const auto has = [&](const std::vector<size_t>& items) { return std::ranges::count(items, item) > 0; };
    const uint32_t parts = parts_of(open, item);
    int rank = std::ranges::any_of(by_rule, has) ? 0 : 1;
    // From what costs most to what costs least.
    for (uint32_t part : {uint32_t{kMemory}, uint32_t{kBlocks}, kPlacement | kShards | kUnits, uint32_t{kStages},
                          uint32_t{kPipeline}, uint32_t{kStepOps}})
      rank = 2 * rank + ((parts & part) ? 0 : 1);
    return rank;
  });
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
