#include "planner/search/coster.h"

#include <algorithm>

#include "planner/plan/mean_plan.h"
#include "planner/plan/violations.h"
#include "planner/search/readers.h"
#include "planner/search/refusals.h"

namespace planner {
namespace {

Costed refused(const dsl::Cursor& cursor) {
  Costed costed{.refusal = cursor.refusal(), .refused_at = cursor.refused_at()};
  if (costed.refusal == dsl::Refusal::where) costed.decided = cursor.refused_from();
  return costed;
}

// Whether a condition over fields follows the length of a candidate that has several.
bool asks_lengths(const dsl::Space& space) {
  const std::optional<size_t> together = space.together();
  return together && std::ranges::any_of(space.conditions(), [&](const dsl::Condition& condition) {
           return condition.known >= static_cast<std::ptrdiff_t>(*together);
         });
}

}  // namespace

Coster::Coster(const OpenScenario& open, SharedParts& shared, const std::vector<size_t>& order)
    : lengths_(open.sample.lengths.shares.size()),
      asks_lengths_(asks_lengths(open.space)),
      prefixes_(open, order),
      candidate_(open),
      evaluator_(open, shared, order) {
  for (size_t level = evaluator_.free_from(); level < order.size(); ++level) {
    const dsl::OpenItem& item = open.space.items()[order[level]];
    if (!is_host_share(item.path)) continue;
    const auto [least, most] = std::ranges::minmax_element(
        item.values, {}, [](const dsl::Value& value) { return std::get<dsl::Number>(value.v).value; });
    shares_.push_back({level, order[level], static_cast<size_t>(least - item.values.begin()),
                       static_cast<size_t>(most - item.values.begin())});
  }
}

// Leaves the subtrees that the cursor has left.
void Coster::leave(const dsl::Cursor& cursor) {
  if (fits_ && cursor.changed() <= *fits_) fits_.reset();
  if (slow_ && cursor.changed() <= *slow_) slow_.reset();
}

void Coster::pass(const dsl::Cursor& cursor) {
  leave(cursor);
  candidate_.skip(cursor);
  evaluator_.skip(cursor);
}

void Coster::skip(dsl::Cursor& cursor) {
  for (pass(cursor); !cursor.ends_candidate(); pass(cursor)) cursor.next();
}

template <class ValueOf> void Coster::put_shares(size_t level, ValueOf value_of) {
  for (const HostShare& share : shares_)
    if (share.level > level) candidate_.put(share.item, value_of(share));
}

// A larger share of the host takes memory from the device and adds it to the host. So a subtree has the least device
// memory at the largest shares, and the least host memory at the smallest ones. It is refused as one only if all its
// candidates overflow the same of the two.
Coster::Fits Coster::which_fit(const dsl::Cursor& cursor, const Scenario& s, size_t level, const Early& early) {
  std::optional<MemoryPeaks> least, most;
  put_shares(level, [](const HostShare& share) { return share.largest; });
  least = evaluator_.memory_of_all(s, level, false);
  if (least && !least->device.overflows()) most = evaluator_.memory_of_all(s, level, true);
  if (least && !shares_.empty() && shares_.back().level > level) {
    put_shares(level, [](const HostShare& share) { return share.smallest; });
    least->host = evaluator_.memory_of_all(s, level, false)->host;
    if (most) most->device = evaluator_.memory_of_all(s, level, true)->device;
  }
  put_shares(level, [&](const HostShare& share) { return cursor.at(share.item); });
  if (!least) return Fits::unknown;
  evaluator_.note_overflow(s, level + 1, *least);
  const bool may_mix = most && most->device.overflows();
  if (most && !may_mix && early.all_fit(*least, *most)) return Fits::all;
  return !may_mix && early.none_fits(*least) ? Fits::none : Fits::some;
}

// The smaller a share of the host is, the sooner its copies are over.
bool Coster::are_all_slow(const dsl::Cursor& cursor, const Scenario& s, size_t level, const Early& early) {
  put_shares(level, [](const HostShare& share) { return share.smallest; });
  const bool slow = evaluator_.all_decided_by_least(candidate_, s, level, early.all_by_bound);
  put_shares(level, [&](const HostShare& share) { return cursor.at(share.item); });
  return slow;
}

// The level of the largest subtree that begins here. A part of the walk, or a walk that goes on, may begin within one.
size_t Coster::begins_at(const dsl::Cursor& cursor) const {
  const std::vector<size_t>& order = cursor.order();
  size_t level = order.size() - 1;
  while (level > 0 && level >= evaluator_.free_from() && level > cursor.changed() && cursor.at(order[level]) == 0)
    --level;
  return level;
}

// The largest subtree that begins here and is decided as one; nullopt: none is.
std::optional<Costed> Coster::cost_subtree(const dsl::Cursor& cursor, const Scenario& s, const Early& early) {
  if (evaluator_.free_from() == cursor.order().size()) return std::nullopt;
  for (size_t level = begins_at(cursor); level + 1 < cursor.order().size(); ++level) {
    const MemoryPeaks* less = fits_ ? nullptr : evaluator_.overflow_with_less(s, level + 1);
    const bool overflows = less && early.none_fits(*less);
    const Fits fits = overflows ? Fits::none : fits_ ? Fits::all : which_fit(cursor, s, level, early);
    if (fits == Fits::none) return Costed{.overflows = true, .decided = level, .scenario = &s};
    if (fits == Fits::unknown) continue;
    if (fits == Fits::all && !fits_) fits_ = level;
    if (!slow_ && early.all_by_bound && are_all_slow(cursor, s, level, early)) slow_ = level;
    if (fits_ && slow_) return Costed{.bounded = true, .decided = level, .scenario = &s};
  }
  return std::nullopt;
}

// With a smaller microbatch, it may be known already.
bool Coster::overflows(const dsl::Cursor& cursor, const Scenario& s, const Early& early) {
  const MemoryPeaks* less = evaluator_.overflow_with_less(s, cursor.order().size());
  return (less && early.by_memory(*less)) || early.by_memory(evaluator_.memory(s));
}

std::optional<Costed> Coster::refuse(const dsl::Cursor& cursor, const Scenario& s, const Early& early) {
  broken_ = evaluator_.broken_rule(s);
  if (broken_ < layout_rule_count())
    return Costed{.rule = layout_rule_name(broken_), .decided = prefixes_.of_rule(broken_), .scenario = &s};
  if (early.none_fits)
    if (std::optional<Costed> all = cost_subtree(cursor, s, early)) return all;
  if (early.by_memory && overflows(cursor, s, early))
    return Costed{.overflows = true, .decided = prefixes_.of_memory(), .scenario = &s};
  return std::nullopt;
}

// The scenario under the cursor; nullptr: a value is missing, or a condition does not hold. With several lengths the
// condition was checked before.
const Scenario* Coster::enter(const dsl::Cursor& cursor) {
  leave(cursor);
  const bool unmet = cursor.refusal() == dsl::Refusal::where && lengths_ == 0;
  if (cursor.is_valueless() || unmet) return pass(cursor), nullptr;
  const Scenario& s = candidate_.at(cursor);
  evaluator_.follow(cursor);
  return &s;
}

Costed Coster::cost_one(const dsl::Cursor& cursor, const Early& early) {
  const Scenario* s = enter(cursor);
  if (!s) return refused(cursor);
  if (const std::optional<Costed> costed = refuse(cursor, *s, early)) return *costed;
  if (slow_ && early.one_by_bound(evaluator_.memory(*s))) return {.bounded = true, .scenario = s};
  if (early.by_bound && evaluator_.decided_by_least(*s, early.by_bound)) return {.bounded = true, .scenario = s};
  return {.figures = evaluator_.figures(*s), .scenario = s};
}

Costed Coster::cost(dsl::Cursor& cursor, const Early& early) {
  if (lengths_ == 0) return cost_one(cursor, early);
  if (!meets_conditions(cursor)) return refused(cursor);
  each_.clear();
  const bool asks = early.by_memory || early.by_bound;
  Costed costed = asks ? cost_early(cursor, early) : Costed{};
  if (costed.is_decided()) return costed;
  if (asks) cursor.restart_candidate();
  each_.clear();
  for (;; cursor.next()) {
    costed = cost_one(cursor, {});
    if (!costed.figures) break;
    each_.push_back(*costed.figures);
    if (cursor.ends_candidate()) break;
  }
  if (costed.figures) costed.figures = mean_figures(*costed.scenario, each_);
  while (!cursor.ends_candidate()) cursor.next(), pass(cursor);
  costed.each = each_;
  return costed;
}

// A condition that the length decides is one on the longest.
bool Coster::meets_conditions(dsl::Cursor& cursor) {
  const bool unmet = cursor.refusal() == dsl::Refusal::where;
  if (!unmet && !asks_lengths_) return true;
  for (; !cursor.ends_candidate(); cursor.next()) pass(cursor);
  if (cursor.refusal() == dsl::Refusal::where) return pass(cursor), false;
  pass(cursor);
  cursor.restart_candidate();
  return true;
}

// What refuses one of the lengths, or the bound of their mean step: a step is at least the mean of what its lengths
// take at least.
Costed Coster::cost_early(dsl::Cursor& cursor, const Early& early) {
  const auto note = [&](const PlanFigures& least) { return each_.push_back(least), true; };
  bool bounds = static_cast<bool>(early.by_bound);
  for (;; cursor.next()) {
    const Scenario* s = enter(cursor);
    std::optional<Costed> costed = s ? refuse(cursor, *s, early) : refused(cursor);
    if (costed) {
      while (!cursor.ends_candidate()) cursor.next(), pass(cursor);
      return *costed;
    }
    bounds = bounds && evaluator_.decided_by_least(*s, note);
    if (!cursor.ends_candidate()) continue;
    const bool bounded = bounds && early.by_bound(least_mean_figures(*s, each_));
    return {.bounded = bounded, .scenario = s};
  }
}

size_t Coster::also_refused(const dsl::Cursor& cursor) {
  const size_t level = prefixes_.of_rule(broken_);
  const bool settled = lengths_ == 0 && cursor.settled_from() < level && !cursor.is_asked(level);
  return settled ? evaluator_.also_broken(broken_, level, candidate_) : 0;
}

}  // namespace planner
