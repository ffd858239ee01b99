#include "planner/plan/goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "dsl/expression_tree.h"
#include "dsl/unit_sizes.h"
#include "planner/plan/missing_price.h"

namespace planner {
namespace {

using ByName = std::map<std::string, dsl::Value>;

ByName by_name_of(const Results& results) {
  const std::vector<dsl::Value> values = result_values(results);
  ByName by_name;
  for (size_t i = 0; i < values.size(); ++i) by_name[result_rows()[i].name] = values[i];
  return by_name;
}

// A condition that has no value here (a division by zero, dollars without a price) does not hold, as in a search: the
// next candidate may have one.
void check_conditions(const std::vector<dsl::Expression>& conditions, const char* rule, const LoadedScenario& loaded,
                      const ByName& results, std::vector<Violation>& violations, dsl::Diagnostics& diagnostics) {
  for (const dsl::Expression& condition : conditions) {
    dsl::Diagnostics told;
    const std::optional<dsl::Value> value = dsl::evaluate(condition, loaded.record, results, told);
    const bool* holds = value ? std::get_if<bool>(&value->v) : nullptr;
    if (holds && *holds) continue;
    std::string message = unmet_text(condition);
    if (told.has_errors()) message += ": " + told.list.front().message;
    for (const dsl::Diagnostic& d : told.list) diagnostics.warning(d.span, d.message, d.hint);
    violations.push_back({rule, std::move(message)});
  }
}

// "the left side is 59.4 %", with as many digits as one reads.
std::string told_left(const dsl::Expression& condition, const LoadedScenario& loaded, const ByName& results) {
  const dsl::Expr& tree = *condition.tree;
  if (tree.kind != dsl::Expr::Kind::chain || tree.ops.back() < dsl::Op::less) return "";
  const dsl::ExprPtr left = left_of(tree);
  dsl::Diagnostics unasked;
  std::optional<dsl::Value> value =
      dsl::evaluate({left, condition.text, condition.span}, loaded.record, results, unasked);
  if (!value) return "";
  if (auto* number = std::get_if<dsl::Number>(&value->v))
    number->value = std::stod(fmt::format("{:.5g}", number->value));
  return "its left side is " + dsl::to_text(*value);
}

std::string late_text(double days, double deadline) {
  return fmt::format("the run takes {:.1f} days, {:.1f} over the deadline of {:.1f}", days, days - deadline, deadline);
}

std::string costly_text(double usd, double budget) {
  return fmt::format("the run costs {:.0f} USD, {:.0f} over the budget of {:.0f}", usd, usd - budget, budget);
}

}  // namespace

dsl::ExprPtr left_of(const dsl::Expr& comparison) {
  if (comparison.args.size() == 2) return comparison.args.front();
  auto left = std::make_shared<dsl::Expr>(comparison);
  left->args.pop_back();
  left->ops.pop_back();
  return left;
}

std::string unmet_text(const dsl::Expression& condition) {
  std::string text = fmt::format("'{}' does not hold", condition.text);
  if (!condition.why.empty()) text += fmt::format(" ({})", condition.why);
  return text;
}

std::vector<Violation> refusals_of_program(const LoadedScenario& loaded) {
  std::vector<Violation> out;
  dsl::Diagnostics unasked;  // reported by the plan
  check_conditions(loaded.scenario.program_rules, kProgramRule, loaded, {}, out, unasked);
  return out;
}

std::vector<Assertion> assertions_of(const std::optional<Results>& results, const LoadedScenario& loaded) {
  std::vector<Assertion> out;
  const ByName by_name = results ? by_name_of(*results) : ByName{};
  for (const dsl::Expression& condition : loaded.scenario.assertions) {
    Assertion& row = out.emplace_back(Assertion{condition.text, condition.span, false, ""});
    if (!results) {
      row.why = "the plan has no figures";
      continue;
    }
    dsl::Diagnostics told;
    const std::optional<dsl::Value> value = dsl::evaluate(condition, loaded.record, by_name, told);
    const bool* holds = value ? std::get_if<bool>(&value->v) : nullptr;
    row.holds = holds && *holds;
    if (!row.holds) row.why = told.has_errors() ? told.list.front().message : told_left(condition, loaded, by_name);
  }
  return out;
}

void check_goals(Plan& plan, const LoadedScenario& loaded, dsl::Diagnostics& diagnostics) {
  if (!plan.step) return;
  const Goal& goal = loaded.scenario.goal;
  const ByName results = by_name_of(results_of(plan));
  check_conditions(loaded.scenario.program_rules, kProgramRule, loaded, results, plan.violations, diagnostics);
  check_conditions(loaded.scenario.where, "where", loaded, results, plan.violations, diagnostics);
  const std::optional<double>& days = plan.cost->days;
  const std::optional<double>& usd = plan.cost->usd;
  if (goal.deadline && (!days || *days * dsl::kDay > goal.deadline->value))
    plan.violations.push_back({"deadline", days ? late_text(*days, goal.deadline->value / dsl::kDay)
                                                : std::string("the run has no length: give job.tokens")});
  if (goal.budget && (!usd || *usd > goal.budget->value))
    plan.violations.push_back({"budget", usd ? costly_text(*usd, goal.budget->value) : missing_price(loaded.scenario)});
  plan.feasible = plan.violations.empty();
}

GoalMiss goal_miss(const Goal& goal, const RunCost& cost) {
  GoalMiss miss;
  const auto over = [&](std::optional<double> limit, const std::optional<double>& value) {
    const double more = limit && value ? std::max(0.0, *value - *limit) : 0;
    if (more > 0) miss.shares += more / *limit;
    return more;
  };
  if (goal.deadline) miss.days = over(goal.deadline->value / dsl::kDay, cost.days);
  if (goal.budget) miss.usd = over(goal.budget->value, cost.usd);
  return miss;
}

bool works(const Plan& plan) {
  constexpr std::array<std::string_view, 3> kOfGoal{"where", "deadline", "budget"};
  return plan.step && std::ranges::all_of(plan.violations, [&](const Violation& v) {
           return std::ranges::find(kOfGoal, v.rule) != kOfGoal.end();
         });
}

Plan plan_with_goals(const LoadedScenario& loaded) {
  Plan plan = make_plan(loaded.scenario);
  dsl::Diagnostics unasked;  // a result without a value breaks nothing more
  check_goals(plan, loaded, unasked);
  return plan;
}

}  // namespace planner
