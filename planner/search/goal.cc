#include "planner/search/goal.h"

#include <algorithm>
#include <limits>

#include "planner/search/shortfall.h"

namespace planner {
namespace {

constexpr double kDay = 86400;
constexpr const char* kScaling = "scaling_efficiency";
// The rules, as `plan` names them.
constexpr const char *kWhere = "where", *kDeadline = "deadline", *kBudget = "budget", *kGoal = "goal";

const dsl::Expression* expression_of(const Goal& goal) {
  if (goal.maximize) return &*goal.maximize;
  return goal.minimize ? &*goal.minimize : nullptr;
}

bool reads_timed(const dsl::Expression& expression) {
  const auto rows = result_rows();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const ResultRow& row) { return row.timed && dsl::reads(*expression.tree, row.name); });
}

std::optional<size_t> item_of(const dsl::Space& space, std::string_view path) {
  for (size_t i = 0; i < space.items().size(); ++i)
    if (space.items()[i].path == path) return i;
  return std::nullopt;
}

}  // namespace

GoalCheck::GoalCheck(const OpenScenario& open, bool scaling) : goal_(open.sample.goal) {
  deadline_ = {.fixed = {}, .item = item_of(open.space, "goal.deadline")};
  budget_ = {.fixed = {}, .item = item_of(open.space, "goal.budget")};
  if (goal_.deadline) deadline_.fixed = goal_.deadline->value;
  if (goal_.budget) budget_.fixed = goal_.budget->value;
  for (const dsl::Expression* condition : open.space.result_conditions())
    conditions_.push_back(scaling || !dsl::reads(*condition->tree, kScaling) ? condition : nullptr);
  expression_ = expression_of(goal_);
  if (!expression_) return;
  sign_ = goal_.maximize ? -1 : 1;
  result_ = find_result(expression_->text);
  timed_ = reads_timed(*expression_);
}

std::optional<double> GoalCheck::objective_of(dsl::Cursor& cursor, const Results& results) const {
  if (!expression_) return results.step.seconds;
  std::optional<double> value;
  if (result_) {
    value = result_->value(results);
  } else {
    const std::optional<dsl::Value> computed = cursor.evaluate(*expression_, result_values(results));
    if (computed) value = std::get<dsl::Number>(computed->v).value;
  }
  return value ? std::optional(sign_ * *value) : std::nullopt;
}

bool GoalCheck::holds(dsl::Cursor& cursor, const dsl::Expression& condition, const Results& results) const {
  const std::optional<dsl::Value> value = cursor.evaluate(condition, result_values(results));
  return value && std::get<bool>(value->v);
}

bool GoalCheck::Limit::holds(const dsl::Cursor& cursor, std::optional<double> value) const {
  if (!fixed) return true;
  return value && *value <= most(cursor);
}

double GoalCheck::Limit::most(const dsl::Cursor& cursor) const {
  return item ? std::get<dsl::Number>(cursor.value(*item).v).value : *fixed;
}

double GoalCheck::Limit::excess(const dsl::Cursor& cursor, std::optional<double> value) const {
  if (!fixed) return 0;
  return value ? std::max(0.0, *value / most(cursor) - 1) : std::numeric_limits<double>::infinity();
}

bool GoalCheck::in_time(const dsl::Cursor& cursor, const Results& results) const {
  return deadline_.holds(cursor, results.days ? std::optional(*results.days * kDay) : std::nullopt);
}

bool GoalCheck::in_budget(const dsl::Cursor& cursor, const Results& results) const {
  return budget_.holds(cursor, results.usd);
}

const char* GoalCheck::broken(dsl::Cursor& cursor, const Results& results, double& objective, size_t& unmet) const {
  for (unmet = 0; unmet < conditions_.size(); ++unmet)
    if (conditions_[unmet] && !holds(cursor, *conditions_[unmet], results)) return kWhere;
  if (!in_time(cursor, results)) return kDeadline;
  if (!in_budget(cursor, results)) return kBudget;
  const std::optional<double> value = objective_of(cursor, results);
  if (!value) return kGoal;
  objective = *value;
  return nullptr;
}

std::vector<const char*> GoalCheck::all_broken(dsl::Cursor& cursor, const Results& results) const {
  std::vector<const char*> rules;
  for (const dsl::Expression* condition : conditions_)
    if (condition && !holds(cursor, *condition, results)) rules.push_back(kWhere);
  if (!in_time(cursor, results)) rules.push_back(kDeadline);
  if (!in_budget(cursor, results)) rules.push_back(kBudget);
  return rules;
}

double GoalCheck::excess(dsl::Cursor& cursor, const Results& results) const {
  const std::vector<dsl::Value> values = result_values(results);
  const auto value = [&](const dsl::Expression& expression) { return cursor.evaluate(expression, values); };
  double most = std::max(deadline_.excess(cursor, results.days ? std::optional(*results.days * kDay) : std::nullopt),
                         budget_.excess(cursor, results.usd));
  for (const dsl::Expression* condition : conditions_)
    if (condition) most = std::max(most, shortfall(*condition, value));
  return most;
}

const dsl::Expression* scaling_reader(const OpenScenario& open) {
  const dsl::Expression* goal = expression_of(open.sample.goal);
  if (goal && dsl::reads(*goal->tree, kScaling)) return goal;
  for (const dsl::Expression* condition : open.space.result_conditions())
    if (dsl::reads(*condition->tree, kScaling)) return condition;
  return nullptr;
}

bool reads_scaling(const OpenScenario& open, std::span<const ResultRow* const> axes) {
  return scaling_reader(open) || std::any_of(axes.begin(), axes.end(), [](const ResultRow* axis) {
           return std::string_view(axis->name) == kScaling;
         });
}

}  // namespace planner
