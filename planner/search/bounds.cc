#include "planner/search/bounds.h"

#include <algorithm>

#include "dsl/expression_tree.h"
#include "planner/plan/results.h"

namespace planner {

namespace {

using dsl::Expr;
using dsl::Op;
using Kind = Expr::Kind;

constexpr StepTrend kUnknown{}, kFixed{true, true, false}, kFixedPositive{true, true, true};

// A part of a step does not follow from its length.
StepTrend trend_of(const FigureAbout& about) {
  const bool positive = about.least >= 0;
  switch (about.with_step) {
    case WithStep::rises:
      return {.never_falls = true, .positive = positive};
    case WithStep::falls:
      return {.never_rises = true, .positive = positive};
    case WithStep::fixed:
      return {true, true, positive};
    case WithStep::apart:
      break;
  }
  return {.positive = positive};
}

StepTrend negated(StepTrend t) {
  return {.never_falls = t.never_rises, .never_rises = t.never_falls, .positive = false};
}

StepTrend sum(StepTrend a, StepTrend b) {
  return {a.never_falls && b.never_falls, a.never_rises && b.never_rises, a.positive && b.positive};
}

StepTrend product(StepTrend a, StepTrend b) {
  if (a.positive && b.positive) return {a.never_falls && b.never_falls, a.never_rises && b.never_rises, true};
  if (a.is_fixed() && b.is_fixed()) return kFixed;
  if (a.is_fixed() && a.positive) return {b.never_falls, b.never_rises, false};
  if (b.is_fixed() && b.positive) return {a.never_falls, a.never_rises, false};
  return kUnknown;
}

// Of a positive number. Where it is 0 the quotient has no value.
StepTrend inverse(StepTrend t) {
  return t.positive ? StepTrend{t.never_rises, t.never_falls, true} : t.is_fixed() ? kFixed : kUnknown;
}

StepTrend truth(StepTrend less_minus_greater) {
  return {less_minus_greater.never_rises, less_minus_greater.never_falls, true};
}

StepTrend folded(Op op, StepTrend a, StepTrend b) {
  switch (op) {
    case Op::add:
      return sum(a, b);
    case Op::subtract:
      return sum(a, negated(b));
    case Op::multiply:
      return product(a, b);
    case Op::divide:
      return product(a, inverse(b));
    case Op::less:
    case Op::less_equal:
      return truth(sum(a, negated(b)));
    case Op::greater:
    case Op::greater_equal:
      return truth(sum(b, negated(a)));
    default:
      return a.is_fixed() && b.is_fixed() ? kFixed : kUnknown;
  }
}

/// The meaning of an expression's names.
struct TrendNames {
  const dsl::Record& record;
  Differs differs;  // null: nothing does
};

StepTrend trend(const Expr& e, const TrendNames& names);

StepTrend of_all(const Expr& e, const TrendNames& names) {
  StepTrend all = kFixedPositive;
  for (const dsl::ExprPtr& arg : e.args) all = sum(all, trend(*arg, names));
  return all;
}

StepTrend of_name(const Expr& e, const TrendNames& names) {
  const std::string path = names.record.full_path(e.name);
  const dsl::Slot* slot = names.record.find(path);
  if (names.differs && names.differs(slot ? path : e.name)) return kUnknown;
  if (!slot)
    if (const ResultRow* result = find_result(e.name)) return trend_of(result->about);
  return kFixed;  // its value differs between candidates, and may be below zero
}

StepTrend trend(const Expr& e, const TrendNames& names) {
  switch (e.kind) {
    case Kind::literal: {
      const std::optional<double> number = number_of(e.literal);
      return number && *number >= 0 ? kFixedPositive : kFixed;
    }
    case Kind::name:
      return of_name(e, names);
    case Kind::negate:
    case Kind::invert:
      return negated(trend(*e.args.front(), names));
    case Kind::all:
    case Kind::any:
      return of_all(e, names);
    case Kind::chain: {
      StepTrend left = trend(*e.args.front(), names);
      for (size_t i = 1; i < e.args.size(); ++i) left = folded(e.ops[i - 1], left, trend(*e.args[i], names));
      return left;
    }
    case Kind::call:
      if (e.name == "min" || e.name == "max") return of_all(e, names);
      [[fallthrough]];
    case Kind::list:
    case Kind::power:
      break;
  }
  return of_all(e, names).is_fixed() ? kFixed : kUnknown;
}

}  // namespace

StepTrend trend_of(const dsl::Expression& expression, const dsl::Record& record, Differs differs) {
  return trend(*expression.tree, {record, differs});
}

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
  if (!kept.is_far({})) return std::nullopt;  // nothing is feasible yet: the nearest miss needs its figures
  double objective = 0;
  BoundVerdict verdict;
  verdict.rule = goal_.broken(cursor, least, objective, verdict.unmet);
  if (!is_certain(verdict.rule, verdict.unmet)) return std::nullopt;
  if (!verdict.rule && kept.may_keep(least, objective, position)) return std::nullopt;
  return verdict;
}

}  // namespace planner
