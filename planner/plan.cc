#include "planner/plan.h"

#include "planner/mean_plan.h"
#include "planner/uncertainty.h"
#include "planner/workload/passes.h"

namespace planner {
PlanFigures make_figures(const Scenario& s, const Step& step, const MemoryPeaks& memory, const ModelFlops& model,
                         const ExecutedFlops& executed, int64_t microbatches) {
  PlanFigures f{.step = interval(step.breakdown.sum(), step_error(step.errors)),
                .breakdown = step.breakdown,
                .errors = step.errors,
                .memory = memory,
                .throughput = {},
                .cost = {}};
  f.throughput = make_throughput(s, model, executed, microbatches, f.step.seconds);
  f.cost = make_run_cost(s, f.step.seconds);
  return f;
}

Plan make_figures(const Scenario& s) {
  if (!s.lengths.shares.empty()) {
    std::vector<Plan> plans;
    for (const LengthShare& share : s.lengths.shares) plans.push_back(make_figures(at_length(s, share)));
    return mean_plan(s, plans);
  }
  CostedWorkload costed = cost_workload(s, build_workload(s));
  const Pipelined pipeline = make_pipelined(s, costed);
  const Step step = make_step(s, costed, pipeline);
  Plan plan;
  plan.memory = make_memory(s, costed.workload);
  const PlanFigures figures =
      make_figures(s, step, *plan.memory, make_model_flops(s),
                   make_executed_flops(costed.blocks, costed.workload.deal.model), costed.workload.microbatches);
  plan.step = figures.step;
  plan.breakdown = figures.breakdown;
  plan.errors = figures.errors;
  plan.throughput = figures.throughput;
  plan.cost = figures.cost;
  plan.sources = source_shares(step_parts(costed, pipeline));
  plan.communication = communication_rows(s, costed, pipeline);
  return plan;
}

PlanFigures plan_figures(const Plan& plan) {
  return {.step = *plan.step,
          .breakdown = *plan.breakdown,
          .errors = plan.errors,
          .memory = *plan.memory,
          .throughput = *plan.throughput,
          .cost = *plan.cost};
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
