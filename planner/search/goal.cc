#include "planner/search/goal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dsl/record_evaluator.h"
#include "dsl/unit_sizes.h"
#include "planner/search/shortfall.h"

namespace planner {
namespace {

constexpr size_t kMostSlots = 32;  // names that a compiled expression reads
constexpr const char* kScaling = "scaling_efficiency";

const dsl::Expression* expression_of(const Goal& goal) {
  if (goal.maximize) return &*goal.maximize;
  return goal.minimize ? &*goal.minimize : nullptr;
}

bool reads_timed(const dsl::Expression& expression) {
  const auto rows = result_rows();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const ResultRow& row) { return row.about.timed() && dsl::reads(*expression.tree, row.name); });
}

std::optional<size_t> item_of(const dsl::Space& space, std::string_view path) {
  for (size_t i = 0; i < space.items().size(); ++i)
    if (space.items()[i].path == path) return i;
  return std::nullopt;
}

// Of a field or an entry of `let`, of an open one a sample.
const dsl::Value* value_in(const dsl::Record& record, const std::string& path) {
  if (const dsl::Slot* slot = record.find(path)) return &slot->value;
  for (const auto& [name, value] : record.let)
    if (name == path) return &value;
  return nullptr;
}

std::optional<double> seconds_of_run(const Results& results) {
  return results.days ? std::optional(*results.days * dsl::kDay) : std::nullopt;
}

}  // namespace

GoalCheck::GoalCheck(const OpenScenario& open, bool scaling) : goal_(open.sample.goal) {
  deadline_ = {.item = item_of(open.space, "goal.deadline")};
  budget_ = {.item = item_of(open.space, "goal.budget")};
  if (goal_.deadline) deadline_.fixed = goal_.deadline->value;
  if (goal_.budget) budget_.fixed = goal_.budget->value;
  for (const dsl::Expression* condition : open.space.result_conditions())
    conditions_.push_back(asked(open, scaling || !dsl::reads(*condition->tree, kScaling) ? condition : nullptr));
  expression_ = asked(open, expression_of(goal_));
  if (!expression_.expression) return;
  sign_ = goal_.maximize ? -1 : 1;
  timed_ = reads_timed(*expression_.expression);
}

// Results first, behind them the items of the space; fields that no choice reaches are constants.
GoalCheck::GoalExpression GoalCheck::asked(const OpenScenario& open, const dsl::Expression* expression) {
  if (!expression) return {};
  const auto names = [&](const std::string& name) -> std::optional<dsl::Compiled::Operand> {
    const std::string path = open.space.record().full_path(name);
    const dsl::Value* written = value_in(open.space.record(), path);
    const std::optional<double> sample = written ? number_of(*written) : std::nullopt;
    if (written && !sample) return std::nullopt;  // a text or a list
    if (const std::optional<size_t> item = item_of(open.space, path))
      return dsl::Compiled::Operand{{}, result_rows().size() + *item};
    if (written) return dsl::Compiled::Operand{sample};
    const ResultRow* result = find_result(name);
    if (!result) return std::nullopt;
    return dsl::Compiled::Operand{{}, static_cast<size_t>(result - result_rows().data())};
  };
  GoalExpression made{expression, dsl::Compiled::compile(*expression->tree, names)};
  if (made.compiled && made.compiled->slots().size() > kMostSlots) made.compiled.reset();
  return made;
}

std::optional<double> GoalCheck::value(dsl::Cursor& cursor, const GoalExpression& asked, const Results& results) {
  if (!asked.compiled) {
    const std::optional<dsl::Value> walked = cursor.evaluate(*asked.expression, result_values(results));
    return walked ? number_of(*walked) : std::nullopt;
  }
  std::array<double, kMostSlots> numbers;
  size_t count = 0;
  for (size_t slot : asked.compiled->slots()) {
    const size_t rows = result_rows().size();
    const auto known = slot < rows ? result_rows()[slot].value(results) : number_of(cursor.value(slot - rows));
    numbers[count++] = known.value_or(std::numeric_limits<double>::quiet_NaN());
  }
  const double value = asked.compiled->value({numbers.data(), count});
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::optional<double> GoalCheck::objective_of(dsl::Cursor& cursor, const Results& results) const {
  if (!expression_.expression) return results.step.seconds;
  const std::optional<double> known = value(cursor, expression_, results);
  return known ? std::optional(sign_ * *known) : std::nullopt;
}

bool GoalCheck::holds(dsl::Cursor& cursor, const GoalExpression& condition, const Results& results) {
  return value(cursor, condition, results).value_or(0) != 0;
}

bool GoalCheck::GoalLimit::holds(const dsl::Cursor& cursor, std::optional<double> value) const {
  if (!fixed) return true;
  return value && *value <= most(cursor);
}

double GoalCheck::GoalLimit::most(const dsl::Cursor& cursor) const {
  return item ? std::get<dsl::Number>(cursor.value(*item).v).value : *fixed;
}

double GoalCheck::GoalLimit::excess(const dsl::Cursor& cursor, std::optional<double> value) const {
  if (!fixed) return 0;
  return value ? std::max(0.0, *value / most(cursor) - 1) : std::numeric_limits<double>::infinity();
}

bool GoalCheck::in_time(const dsl::Cursor& cursor, const Results& results) const {
  return deadline_.holds(cursor, seconds_of_run(results));
}

bool GoalCheck::in_budget(const dsl::Cursor& cursor, const Results& results) const {
  return budget_.holds(cursor, results.usd);
}

const char* GoalCheck::broken(dsl::Cursor& cursor, const Results& results, double& objective, size_t& unmet) const {
  for (unmet = 0; unmet < conditions_.size(); ++unmet)
    if (conditions_[unmet].expression && !holds(cursor, conditions_[unmet], results)) return kWhereRule;
  if (!in_time(cursor, results)) return kDeadlineRule;
  if (!in_budget(cursor, results)) return kBudgetRule;
  const std::optional<double> value = objective_of(cursor, results);
  if (!value) return kGoalRule;
  objective = *value;
  return nullptr;
}

std::vector<const char*> GoalCheck::all_broken(dsl::Cursor& cursor, const Results& results) const {
  std::vector<const char*> rules;
  for (const GoalExpression& condition : conditions_)
    if (condition.expression && !holds(cursor, condition, results)) rules.push_back(kWhereRule);
  if (!in_time(cursor, results)) rules.push_back(kDeadlineRule);
  if (!in_budget(cursor, results)) rules.push_back(kBudgetRule);
  return rules;
}

double GoalCheck::excess(dsl::Cursor& cursor, const Results& results) const {
  const std::vector<dsl::Value> values = result_values(results);
  const auto value = [&](const dsl::Expression& expression) { return cursor.evaluate(expression, values); };
  double sum = deadline_.excess(cursor, seconds_of_run(results)) + budget_.excess(cursor, results.usd);
  for (const GoalExpression& condition : conditions_)
    if (condition.expression) sum += shortfall(*condition.expression, value);
  return sum;
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
