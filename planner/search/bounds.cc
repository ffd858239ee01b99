#include "planner/search/bounds.h"

#include <algorithm>

namespace planner {

StepBounds::StepBounds(const OpenScenario& open, const SearchOptions& options, const GoalCheck& goal, Differs differs)
    : goal_(goal) {
  const Goal& asked = open.sample.goal;
  deadline_ = asked.deadline.has_value();
  budget_ = asked.budget.has_value();
  for (const dsl::Expression* condition : open.space.result_conditions())
    conditions_.push_back(trend_of(*condition, open.space.record(), differs));
  holding_ = static_cast<size_t>(std::ranges::find_if(conditions_, [](StepTrend t) { return !t.never_falls; }) -
                                 conditions_.begin());
  bool follows = true;  // the goal gets no better with a longer step
  if (asked.minimize) follows = trend_of(*asked.minimize, open.space.record(), differs).never_falls;
  if (asked.maximize) follows = trend_of(*asked.maximize, open.space.record(), differs).never_rises;
  help_ = follows && !options.exhaustive && options.pareto.empty() && !reads_scaling(open, options.pareto) &&
          open.sample.fitted.empty();
}

// A rule that refuses the shortest step, and no rule before it refuses a longer one.
bool StepBounds::is_certain(const char* rule, size_t unmet) const {
  const bool conditions_hold = holding_ == conditions_.size();
  if (rule == kWhereRule) return unmet <= holding_ && conditions_[unmet].never_rises;
  if (rule == kDeadlineRule) return conditions_hold;
  if (rule == kBudgetRule) return conditions_hold && !deadline_;
  return !rule && conditions_hold && !deadline_ && !budget_;
}

std::optional<StepBounds::BoundVerdict> StepBounds::verdict(dsl::Cursor& cursor, const Results& least,
                                                            const Position& position, const Collector& kept) const {
  if (!kept.is_far(0)) return std::nullopt;  // nothing is feasible yet: the nearest miss needs its figures
  double objective = 0;
  BoundVerdict verdict;
  verdict.rule = goal_.broken(cursor, least, objective, verdict.unmet);
  if (!is_certain(verdict.rule, verdict.unmet)) return std::nullopt;
  if (!verdict.rule && kept.may_keep(least, objective, position)) return std::nullopt;
  return verdict;
}

}  // namespace planner
