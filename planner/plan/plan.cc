#include "planner/plan/plan.h"

#include "planner/plan/at_length.h"
#include "planner/plan/fits.h"
#include "planner/plan/fitted_step.h"
#include "planner/plan/mean_plan.h"
#include "planner/plan/step_sources.h"
#include "planner/plan/uncertainty.h"

namespace planner {
namespace {

// What fitted models say of it: the sources of the step, the transfers at its pace, where they have no time.
void take_fitted(const Scenario& s, const CostedWorkload& costed, const Step& step, Plan& plan) {
  plan.fitted = fitted_uses(s, costed, step.breakdown.sum());
  for (const FittedUse& use : plan.fitted) {
    if (use.unpriced) plan.violations.push_back({kFittedRule, unpriced_text(use)});
    if (use.kind == kWholeStep) plan.sources = {{.kind = kWholeStep, .provenance = use.provenance, .share = 1}};
  }
  const double factor = fitted_factor(s, step);
  for (CommunicationRow& row : plan.communication)
    for (double CommunicationRow::*part :
         {&CommunicationRow::seconds, &CommunicationRow::hidden_seconds, &CommunicationRow::exposed_seconds})
      row.*part *= factor;
  plan.feasible = plan.violations.empty();
}

}  // namespace

PlanFigures make_figures(const Scenario& s, const Step& analytical, const MemoryPeaks& memory, const ModelFlops& model,
                         const ExecutedFlops& executed, int64_t microbatches) {
  const std::optional<double> fitted = fitted_seconds(s);
  const Step step = fitted ? fitted_step(s, analytical) : analytical;
  PlanFigures f{.step = interval(fitted.value_or(step.breakdown.sum()), step_error(step.errors)),
                .breakdown = step.breakdown,
                .errors = step.errors,
                .memory = memory};
  f.throughput = make_throughput(s, model, executed, microbatches, f.step.seconds);
  f.cost = make_run_cost(s, f.step.seconds);
  return f;
}

Plan make_unchecked_plan(const Scenario& s) {
  if (s.lengths.shares.empty()) return make_plan_of_one(s);
  std::vector<Plan> plans;
  for (const LengthShare& share : s.lengths.shares) plans.push_back(make_plan_of_one(at_length(s, share)));
  return mean_plan(s, plans);
}

Plan make_plan_of_one(const Scenario& s) {
  const auto [costed, pipeline, step] = time_step(s);
  Plan plan;
  plan.memory = make_memory(s, costed.workload);
  take_figures(
      make_figures(s, step, *plan.memory, make_model_flops(s),
                   make_executed_flops(costed.blocks, costed.workload.deal.model), costed.workload.microbatches),
      plan);
  plan.sources = source_shares(step_parts(costed, pipeline));
  plan.communication = communication_rows(s, costed, pipeline);
  if (!s.fitted.empty()) take_fitted(s, costed, step, plan);
  return plan;
}

Plan make_plan(const Scenario& scenario) {
  Plan plan;
  plan.violations = layout_violations(scenario);
  if (plan.violations.empty()) {
    plan = make_unchecked_plan(scenario);
    if (!is_finite(*plan.step) || !is_finite(*plan.memory))
      plan.violations.push_back({kFiniteRule, "its step or memory is no finite number: a field is beyond any machine"});
    const std::vector<Violation> memory = memory_told(*plan.memory, FitVerdict::does_not_fit);
    plan.violations.insert(plan.violations.end(), memory.begin(), memory.end());
  }
  plan.feasible = plan.violations.empty();
  return plan;
}

}  // namespace planner
