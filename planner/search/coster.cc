#include "planner/search/coster.h"

#include "planner/plan/mean_plan.h"
#include "planner/plan/violations.h"

namespace planner {
namespace {

bool is_valueless(const dsl::Cursor& cursor) {
  return cursor.refusal() == dsl::Refusal::divisibility || cursor.refusal() == dsl::Refusal::value;
}

Costed refused(const dsl::Cursor& cursor) {
  Costed costed{.refusal = cursor.refusal(), .figures = {}, .refused_at = cursor.refused_at(), .each = {}};
  if (costed.refusal == dsl::Refusal::where) costed.decided = 0;  // behind all conditions
  return costed;
}

}  // namespace

Coster::Coster(const OpenScenario& open, SharedParts& shared, const std::vector<size_t>& order)
    : lengths_(open.sample.lengths.shares.size()),
      together_(open.space.together()),
      prefixes_(open, order),
      candidate_(open),
      evaluator_(open, shared, order) {}

// A combination that has no value before its length is known is all of its candidate.
bool Coster::is_last(const dsl::Cursor& cursor) const {
  if (!together_ || (is_valueless(cursor) && cursor.refused_at() < *together_)) return true;
  return cursor.at(*together_) + 1 == lengths_;
}

void Coster::pass(const dsl::Cursor& cursor) {
  candidate_.skip(cursor);
  evaluator_.skip(cursor);
}

void Coster::skip(dsl::Cursor& cursor) {
  for (pass(cursor); !is_last(cursor); pass(cursor)) cursor.next();
}

Costed Coster::cost_here(const dsl::Cursor& cursor, const Early& early) {
  const bool unmet = cursor.refusal() == dsl::Refusal::where && is_last(cursor);
  if (is_valueless(cursor) || unmet) return pass(cursor), refused(cursor);
  const Scenario& s = candidate_.at(cursor);
  evaluator_.follow(cursor);
  if (const size_t rule = evaluator_.broken_rule(s); rule < layout_rule_count())
    return {
        .rule = layout_rule_name(rule), .figures = {}, .decided = prefixes_.of_rule(rule), .scenario = &s, .each = {}};
  if (early.by_memory && early.by_memory(evaluator_.memory(s)))
    return {.overflows = true, .figures = {}, .decided = prefixes_.of_memory(), .scenario = &s, .each = {}};
  if (early.by_bound && evaluator_.decided_by_least(s, early.by_bound))
    return {.bounded = true, .figures = {}, .scenario = &s, .each = {}};
  return {.figures = evaluator_.figures(s), .scenario = &s, .each = {}};
}

Costed Coster::cost(dsl::Cursor& cursor, const Early& early) {
  if (lengths_ == 0) return cost_here(cursor, early);
  each_.clear();
  Costed costed = cost_here(cursor, early);
  while (costed.figures) {
    each_.push_back(*costed.figures);
    if (is_last(cursor)) break;
    cursor.next();
    costed = cost_here(cursor, early);
  }
  if (costed.figures) costed.figures = mean_figures(*costed.scenario, each_);
  while (!is_last(cursor)) cursor.next(), pass(cursor);
  costed.each = each_;
  return costed;
}

Costed Coster::arrive(dsl::Cursor& cursor) {
  for (;; cursor.next()) {
    if (is_valueless(cursor)) return skip(cursor), refused(cursor);
    const Scenario& s = candidate_.at(cursor);
    evaluator_.skip(cursor);
    if (is_last(cursor)) return {.figures = {}, .scenario = &s, .each = {}};
  }
}

}  // namespace planner
