// `where`, deadline and budget of a plan.
#include <fmt/format.h>

#include "planner/plan.h"

namespace planner {
namespace {

using Results = std::map<std::string, dsl::Value>;

void put(Results& results, const char* name, std::optional<double> value, dsl::Dim dim) {
  results[name] = value ? dsl::Value{dsl::Number{*value, dim}} : dsl::Value{};
}

Results results_of(const Plan& plan, const Scenario& s) {
  constexpr double kDay = 86400, kJoulesPerKwh = 3.6e6;
  Results r;
  auto days = plan.cost->days;
  if (days) *days *= kDay;
  put(r, "step", plan.step->seconds, dsl::kTime);
  put(r, "days", days, dsl::kTime);
  put(r, "usd", plan.cost->usd, dsl::kMoney);
  auto energy = plan.cost->kwh;
  if (energy) *energy *= kJoulesPerKwh;
  put(r, "kwh", energy, dsl::kEnergy);
  put(r, "gpus", static_cast<double>(s.cluster.gpus), dsl::kNone);
  put(r, "mfu", plan.throughput->mfu, dsl::kNone);
  put(r, "hfu", plan.throughput->hfu, dsl::kNone);
  put(r, "tokens_per_second", plan.throughput->tokens_per_second, dsl::kNone);
  put(r, "memory.peak", plan.memory->peak_bytes, dsl::kData);
  put(r, "memory.headroom", plan.memory->capacity_bytes - plan.memory->peak_bytes, dsl::kData);
  put(r, "serialized_comm", plan.breakdown->serialized_comm, dsl::kTime);
  put(r, "exposed_comm", plan.breakdown->exposed_comm, dsl::kTime);
  put(r, "bubble", plan.breakdown->bubble, dsl::kTime);
  put(r, "goodput", plan.cost->goodput, dsl::kNone);
  put(r, "scaling_efficiency", 1.0, dsl::kNone);  // one size only: it is its own smallest
  return r;
}

void check_where(Plan& plan, const LoadedScenario& loaded, const Results& results, dsl::Diagnostics& diagnostics) {
  for (const dsl::Expression& condition : loaded.scenario.where) {
    const std::optional<dsl::Value> value = dsl::evaluate(condition, loaded.record, results, diagnostics);
    if (!value) continue;
    const bool* holds = std::get_if<bool>(&value->v);
    if (holds && !*holds) plan.violations.push_back({"where", fmt::format("'{}' does not hold", condition.text)});
  }
}

}  // namespace

void check_goals(Plan& plan, const LoadedScenario& loaded, dsl::Diagnostics& diagnostics) {
  if (!plan.step) return;
  const Goal& goal = loaded.scenario.goal;
  check_where(plan, loaded, results_of(plan, loaded.scenario), diagnostics);
  const std::optional<double>& days = plan.cost->days;
  const std::optional<double>& usd = plan.cost->usd;
  if (goal.deadline && (!days || *days * 86400 > goal.deadline->value))
    plan.violations.push_back({"deadline", days ? fmt::format("the run takes {:.1f} days, the deadline is {:.1f}",
                                                              *days, goal.deadline->value / 86400)
                                                : std::string("the run has no length: give job.tokens")});
  if (goal.budget && (!usd || *usd > goal.budget->value))
    plan.violations.push_back(
        {"budget", usd ? fmt::format("the run costs {:.0f} USD, the budget is {:.0f}", *usd, goal.budget->value)
                       : std::string("the run has no price: give job.tokens and cluster.price")});
  plan.feasible = plan.violations.empty();
}

}  // namespace planner
