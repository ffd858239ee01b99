#include "planner/plan.h"

#include "planner/uncertainty.h"
#include "planner/workload/passes.h"

namespace planner {
namespace {

// What a search compares.
Plan compared(const Scenario& scenario, const CostedWorkload& costed, const Step& step,
              const std::vector<StepPart>& parts) {
  Plan plan;
  plan.breakdown = step.breakdown;
  plan.errors = kind_errors(scenario.software, parts);
  plan.step = interval(step.breakdown.sum(), step_error(plan.errors));
  plan.memory = make_memory(scenario, costed.workload);
  plan.throughput = make_throughput(scenario, costed, plan.step->seconds);
  plan.cost = make_run_cost(scenario, plan.step->seconds);
  return plan;
}

}  // namespace

Plan make_compared(const Scenario& scenario, CostedWorkload& costed) {
  const Step step = make_step(scenario, costed);
  return compared(scenario, costed, step, step_parts(costed, step));
}

Plan make_figures(const Scenario& scenario) {
  CostedWorkload costed = cost_workload(scenario, build_workload(scenario));
  const Step step = make_step(scenario, costed);
  const std::vector<StepPart> parts = step_parts(costed, step);
  Plan plan = compared(scenario, costed, step, parts);
  plan.sources = source_shares(parts);
  plan.communication = communication_rows(scenario, costed, step);
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
