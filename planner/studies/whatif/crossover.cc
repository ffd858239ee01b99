#include "planner/studies/whatif/crossover.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "planner/plan/goals.h"
#include "planner/plan/machine_changes.h"
#include "planner/plan/results.h"

namespace planner {
namespace {

constexpr int kSteps = 4;      // of factors that are tried on each side of 1
constexpr int kHalvings = 14;  // of the step in which the order changes: to 1 in 40,000

/// What the goal makes small; infinite where it has no value.
double objective(const LoadedScenario& loaded, const Plan& plan) {
  const Goal& goal = loaded.scenario.goal;
  const auto& expression = goal.maximize ? goal.maximize : goal.minimize;
  if (!expression) return plan.step->seconds;
  Results results = results_of(plan);
  // Over the same fewest GPUs for both plans: in proportion.
  results.scaling_efficiency = results.tokens_per_second / static_cast<double>(results.gpus);
  const std::vector<dsl::Value> values = result_values(results);
  std::map<std::string, dsl::Value> by_name;
  for (size_t i = 0; i < values.size(); ++i) by_name[result_rows()[i].name] = values[i];
  dsl::Diagnostics unasked;
  const auto value = dsl::evaluate(*expression, loaded.record, by_name, unasked);
  const dsl::Number* x = value ? std::get_if<dsl::Number>(&value->v) : nullptr;
  if (!x) return std::numeric_limits<double>::infinity();
  return goal.maximize ? -x->value : x->value;
}

/// One of the two plans, on machines that differ in one field.
class ComparedPlan {
 public:
  explicit ComparedPlan(const LoadedScenario& base) : base_(base), scaled_(base) {}

  /// Smaller comes first; the first member is 1 where the plan is not feasible.
  std::tuple<int, double, double> at(const MachineChange& change, double factor) {
    scaled_.scenario = base_.scenario;
    change.scale(scaled_.scenario, factor);
    set_record(change.field, factor);
    Plan plan = make_unchecked_plan(scaled_.scenario);
    dsl::Diagnostics unasked;
    check_goals(plan, scaled_, unasked);
    const bool fits = !plan.memory->overflows();
    set_record(change.field, 1);
    return {fits && plan.feasible ? 0 : 1, objective(scaled_, plan), plan.step->seconds};
  }

 private:
  // For conditions that read the field.
  void set_record(const std::string& field, double factor) {
    const auto it = base_.record.index.find(field);
    if (it == base_.record.index.end()) return;
    const auto* number = std::get_if<dsl::Number>(&base_.record.slots[it->second].second.value.v);
    if (number) scaled_.record.slots[it->second].second.value = {dsl::Number{number->value * factor, number->dim}};
  }
  const LoadedScenario& base_;
  LoadedScenario scaled_;
};

/// Whether `a` comes first; nullopt: neither is feasible.
std::optional<bool> leads(ComparedPlan& a, ComparedPlan& b, const MachineChange& change, double factor) {
  const auto of_a = a.at(change, factor), of_b = b.at(change, factor);
  if (std::get<0>(of_a) == 1 && std::get<0>(of_b) == 1) return std::nullopt;
  return of_a <= of_b;
}

/// `most`: the last factor that is tried.
std::optional<double> crossover_factor(ComparedPlan& a, ComparedPlan& b, const MachineChange& change, double most) {
  const std::optional<bool> now = leads(a, b, change, 1);
  const double step = std::pow(most, 1.0 / kSteps);
  double inside = 1, outside = 1;
  for (int i = 1; outside == 1; ++i) {
    if (i > kSteps) return std::nullopt;
    const double factor = std::pow(step, i);
    const std::optional<bool> there = leads(a, b, change, factor);
    if (!there) return std::nullopt;
    (there == now ? inside : outside) = factor;
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(inside * outside);
    (leads(a, b, change, middle) == now ? inside : outside) = middle;
  }
  return outside;
}

}  // namespace

std::vector<Crossover> crossovers(const LoadedScenario& a, const LoadedScenario& b) {
  const auto offloads = [](const Scenario& s) { return make_unchecked_plan(s).memory->host.peak_bytes > 0; };
  ComparedPlan of_a(a), of_b(b);
  std::vector<Crossover> rows;
  for (const MachineChange& change : machine_changes(a.scenario, offloads(a.scenario) || offloads(b.scenario)))
    rows.push_back({change.field, crossover_factor(of_a, of_b, change, 1 / kMostFactor),
                    crossover_factor(of_a, of_b, change, kMostFactor)});
  return rows;
}

}  // namespace planner
