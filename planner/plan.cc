#include "planner/plan.h"

#include "planner/uncertainty.h"
#include "planner/workload/passes.h"

namespace planner {
namespace {

void summarise(const Scenario& scenario, const CostedWorkload& costed, const Step& step, Plan& plan) {
  plan.breakdown = step.breakdown;
  const std::vector<StepPart> parts = step_parts(costed, step);
  plan.errors = kind_errors(scenario.software, parts);
  plan.step = interval(step.breakdown.sum(), step_error(plan.errors));
  plan.sources = source_shares(parts);
  plan.communication = communication_rows(scenario, costed, step);
  plan.memory = make_memory(scenario, costed.workload);
  plan.throughput = make_throughput(scenario, costed, plan.step->seconds);
  plan.cost = make_run_cost(scenario, plan.step->seconds);
}

}  // namespace

Plan make_figures(const Scenario& scenario) {
  Plan plan;
  CostedWorkload costed = cost_workload(scenario, build_workload(scenario));
  const Step step = make_step(scenario, costed);
  summarise(scenario, costed, step, plan);
  return plan;
}

Plan make_plan(const Scenario& scenario) {
  Plan plan;
  plan.violations = layout_violations(scenario);
  if (plan.violations.empty()) {
    plan = make_figures(scenario);
    plan.violations = memory_violations(scenario, *plan.memory);
  }
  plan.feasible = plan.violations.empty();
  return plan;
}

}  // namespace planner
