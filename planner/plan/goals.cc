#include "planner/plan/goals.h"

#include <fmt/format.h>

#include "dsl/unit_sizes.h"
#include "planner/plan/results.h"

namespace planner {
namespace {

using ByName = std::map<std::string, dsl::Value>;

ByName results_by_name(const Plan& plan) {
  const std::vector<dsl::Value> values = result_values(results_of(plan));
  ByName by_name;
  for (size_t i = 0; i < values.size(); ++i) by_name[result_rows()[i].name] = values[i];
  return by_name;
}

// A condition that has no value here (a division by zero, dollars without a price) does not hold, as in a search: the
// next candidate may have one.
void check_where(Plan& plan, const LoadedScenario& loaded, dsl::Diagnostics& diagnostics) {
  const ByName results = results_by_name(plan);
  for (const dsl::Expression& condition : loaded.scenario.where) {
    dsl::Diagnostics told;
    const std::optional<dsl::Value> value = dsl::evaluate(condition, loaded.record, results, told);
    const bool* holds = value ? std::get_if<bool>(&value->v) : nullptr;
    if (holds && *holds) continue;
    std::string message = fmt::format("'{}' does not hold", condition.text);
    if (told.has_errors()) message += ": " + told.list.front().message;
    for (const dsl::Diagnostic& d : told.list) diagnostics.warning(d.span, d.message, d.hint);
    plan.violations.push_back({"where", std::move(message)});
  }
}

}  // namespace

void check_goals(Plan& plan, const LoadedScenario& loaded, dsl::Diagnostics& diagnostics) {
  if (!plan.step) return;
  const Goal& goal = loaded.scenario.goal;
  check_where(plan, loaded, diagnostics);
  const std::optional<double>& days = plan.cost->days;
  const std::optional<double>& usd = plan.cost->usd;
  if (goal.deadline && (!days || *days * dsl::kDay > goal.deadline->value))
    plan.violations.push_back({"deadline", days ? fmt::format("the run takes {:.1f} days, the deadline is {:.1f}",
                                                              *days, goal.deadline->value / dsl::kDay)
                                                : std::string("the run has no length: give job.tokens")});
  if (goal.budget && (!usd || *usd > goal.budget->value))
    plan.violations.push_back(
        {"budget", usd ? fmt::format("the run costs {:.0f} USD, the budget is {:.0f}", *usd, goal.budget->value)
                       : std::string("the run has no price: give job.tokens and cluster.price")});
  plan.feasible = plan.violations.empty();
}

Plan plan_with_goals(const LoadedScenario& loaded) {
  Plan plan = make_plan(loaded.scenario);
  dsl::Diagnostics unasked;  // a result without a value breaks nothing more
  check_goals(plan, loaded, unasked);
  return plan;
}

}  // namespace planner
