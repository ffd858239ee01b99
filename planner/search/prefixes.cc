#include "planner/search/prefixes.h"

#include <algorithm>
#include <random>

#include "planner/plan/plan.h"
#include "planner/plan/violations.h"
#include "planner/scenario/field_setter.h"
#include "planner/search/candidate.h"
#include "planner/search/readers.h"
#include "planner/search/rule_memo.h"

namespace planner {
namespace {

// How much the free choices of a space matter: a walk settles the most influential ones first.

/// By what share of them memory and time differ between the values of a choice, summed over a few layouts.
struct Influence {
  double bytes = 0, seconds = 0;
  auto operator<=>(const Influence&) const = default;  // what memory refuses need not be timed
};

constexpr int kLayouts = 4;         // that are looked at
constexpr int kMostTried = 10'000;  // combinations until that many are possible

double spread(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return most > 0 ? (most - least) / most : 0;
}

Influence influence_of(const dsl::OpenItem& item, Scenario s) {
  const dsl::Setter set = field_setter(s, item.path);
  std::vector<double> bytes, seconds;
  for (const dsl::Value& value : item.values) {
    set(value);
    const Plan plan = make_unchecked_plan(s);
    bytes.push_back(plan.memory->device.peak_bytes);
    seconds.push_back(plan.step->seconds);
  }
  return {spread(bytes), spread(seconds)};
}

/// Layouts that break no rule, at random.
class Layouts {
 public:
  Layouts(const OpenScenario& open, const std::vector<size_t>& order)
      : cursor_(open.space, order), candidate_(open), at_(order.size()) {}

  /// null: none was found.
  const Scenario* next() {
    while (tried_++ < kMostTried) {
      for (uint32_t& each : at_) each = static_cast<uint32_t>(random_());
      cursor_.seek(at_);
      candidate_.skip(cursor_);
      if (cursor_.refusal() != dsl::Refusal::none) continue;
      const Scenario& s = candidate_.at(cursor_);
      if (first_broken_layout_rule(s) == layout_rule_count()) return &s;
    }
    return nullptr;
  }

 private:
  dsl::Cursor cursor_;
  Candidate candidate_;
  std::vector<uint32_t> at_;
  std::mt19937 random_{1};
  int tried_ = 0;
};

/// Returns the influence of each free level (prefixes.h), all other choices left alone; of the others none. `order`:
/// the items by level. The same for every run.
std::vector<Influence> influence(const OpenScenario& open, const std::vector<size_t>& order, size_t free_from) {
  std::vector<Influence> by_level(order.size());
  Layouts layouts(open, order);
  for (int n = 0; n < kLayouts; ++n) {
    const Scenario* s = layouts.next();
    if (!s) break;
    for (size_t level = free_from; level < order.size(); ++level) {
      const Influence of = influence_of(open.space.items()[order[level]], *s);
      by_level[level].bytes += of.bytes;
      by_level[level].seconds += of.seconds;
    }
  }
  return by_level;
}

constexpr size_t kFewFree = 12, kMostFree = 1 << 20;  // combinations of free choices
constexpr int kLookedAt = 200;                        // combinations on which a condition is evaluated
constexpr double kMuch = 0.25;                        // of them, that it refuses
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
  return of.field && (acts_through_blocks(of.path) || is_host_share(of.path)) && open.space.leads_nowhere(item) &&
         first_rule(by_rule, item) == by_rule.size();
}

// Of combinations at random, the share that a condition refuses; 1: none of them has all its values.
double share_refused(const OpenScenario& open, const dsl::Condition& condition) {
  dsl::Cursor cursor(open.space);
  std::mt19937 random(1);
  std::vector<uint32_t> at(open.space.items().size());
  int whole = 0, refused = 0;
  for (int n = 0; n < kLookedAt; ++n) {
    for (uint32_t& each : at) each = static_cast<uint32_t>(random());
    cursor.seek(at);
    if (cursor.is_valueless()) continue;
    ++whole;
    const std::optional<dsl::Value> holds = cursor.evaluate(condition.expression, {});
    refused += !holds || !std::get<bool>(holds->v);
  }
  return whole > 0 ? static_cast<double>(refused) / whole : 1;
}

// A condition that refuses many combinations, or whose refusals cannot be counted, is checked early
// (Cursor::unmet_behind): it then settles what it reads. Among combinations that are decided alike little can be
// skipped.
void leave_out_what_is_asked(const OpenScenario& open, std::vector<bool>& free) {
  for (const dsl::Condition& condition : open.space.conditions()) {
    if (std::ranges::none_of(condition.reads, [&](size_t item) { return free[item]; })) continue;
    if (condition.combinations > 0 && share_refused(open, condition) < kMuch) continue;
    for (size_t item : condition.reads) free[item] = false;
  }
}

// By item. If there are few combinations, checking each is as fast as checking a range.
std::vector<bool> free_items(const OpenScenario& open, const std::vector<std::vector<size_t>>& by_rule) {
  const std::vector<dsl::OpenItem>& items = open.space.items();
  std::vector<bool> free(items.size(), false);
  if (open.space.together()) return free;
  for (size_t item = 0; item < items.size(); ++item) free[item] = may_be_free(open, by_rule, item);
  leave_out_what_is_asked(open, free);
  size_t combinations = 1;
  for (size_t item = 0; item < items.size(); ++item) {
    if (free[item]) combinations = std::min(combinations * items[item].values.size(), kMostFree);
  }
  return combinations < kFewFree ? std::vector<bool>(items.size(), false) : free;
}

std::vector<size_t> order_by_parts(const OpenScenario& open) {
  const std::vector<std::vector<size_t>> by_rule = deciding(open);
  const std::vector<bool> free = free_items(open, by_rule);
  return open.space.walk_order(
      [&](size_t item) {
        const uint32_t parts = parts_of(open, item);
        // Rules are evaluated in order: items of an early rule are settled early.
        size_t rank = first_rule(by_rule, item);
        if (free[item]) rank = layout_rule_count() + (is_host_share(open.space.items()[item].path) ? 1 : 2);
        // From what costs most to what costs least.
        for (uint32_t part : {uint32_t{kMemory}, uint32_t{kBlocks}, kPlacement | kShards | kUnits, uint32_t{kStages},
                              uint32_t{kPipeline}, uint32_t{kStepOps}})
          rank = 2 * rank + ((parts & part) ? 0 : 1);
        return static_cast<int>(rank);
      },
      [&](size_t item) { return free[item]; });
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

WalkPrefixes::WalkPrefixes(const OpenScenario& open, const std::vector<size_t>& order) {
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
