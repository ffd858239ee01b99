#include "planner/plan/plan.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "planner/plan/at_length.h"
#include "planner/plan/fits.h"
#include "planner/plan/fitted_step.h"
#include "planner/plan/mean_plan.h"
#include "planner/plan/uncertainty.h"

namespace planner {
namespace {

void add(std::vector<StepPart>& parts, const std::vector<CostedOp>& ops, double count) {
  for (const CostedOp& op : ops)
    parts.push_back({.kind = operator_models::kind_of(op.work->op),
                     .provenance = op.cost.provenance,
                     .seconds = count * op.work->count * (op.communication ? op.exposed : op.cost.seconds.value)});
}

double seconds_of(std::span<const StepPart> parts) {
  double sum = 0;
  for (const StepPart& p : parts) sum += p.seconds;
  return sum;
}

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

std::vector<StepPart> step_parts(const CostedWorkload& c, const Pipelined& pipeline) {
  std::vector<StepPart> parts;
  const Chunk held = c.workload.classes[pipeline.stage_class].total();
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i] > 0) add(parts, c.blocks[i].ops, static_cast<double>(c.workload.microbatches * held[i]));
  add(parts, c.classes[pipeline.stage_class].step_ops, 1);
  if (pipeline.time.send > 0)
    parts.push_back({.kind = operator_models::kind_of(c.workload.boundary),
                     .provenance = c.boundary.provenance,
                     .seconds = pipeline.time.send});
  return parts;
}

std::vector<SourceShare> source_shares(std::span<const StepPart> parts) {
  std::map<std::pair<std::string_view, operator_models::Provenance>, double> seconds;
  for (const StepPart& p : parts) seconds[{p.kind, p.provenance}] += p.seconds;
  const double all = seconds_of(parts);
  std::vector<SourceShare> shares;
  for (const auto& [source, time] : seconds)
    if (time > 0)
      shares.push_back({.kind = std::string(source.first), .provenance = source.second, .share = time / all});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const SourceShare& a, const SourceShare& b) { return a.share > b.share; });
  return shares;
}

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
