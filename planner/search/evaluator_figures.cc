// The figures that an evaluator computes for one candidate, and their lower bounds.
#include "planner/plan/plan.h"
#include "planner/plan/throughput.h"
#include "planner/plan/uncertainty.h"
#include "planner/search/evaluator.h"
#include "planner/workload/passes/passes.h"

namespace planner {

PlanFigures Evaluator::figures_alone(const Scenario& s) {
  const auto [own, pipeline, step] = time_step(s);
  PlanFigures figures = make_figures(s, step, make_memory(s, own.workload), make_model_flops(s),
                                     make_executed_flops(own.blocks, own.workload.deal.model), pipeline.microbatches);
  figures.priced = is_priced(own);
  if (!calls_) return figures;
  hidden_.clear();
  for (const CommunicationRow& row : communication_rows(s, own, pipeline))
    hidden_.push_back({calls_->number_of(row), row.hidden_seconds});
  return figures;
}

bool Evaluator::Outline::priced() const {
  return blocks->priced && layers->priced &&
         std::ranges::all_of(*step_ops, [](const StepWide& each) { return each.priced; });
}

std::optional<Evaluator::Outline> Evaluator::outline(const Scenario& s) {
  Outline made;
  made.blocks = &blocks(s);
  if (!made.blocks->shared) return std::nullopt;
  time(s, *made.blocks);
  made.layers = &layers(s, *made.blocks);
  if (!made.layers->shared) return std::nullopt;
  made.held = &held(s, *made.blocks);
  made.stages = &stages(s, *made.held, *made.layers);
  made.step_ops = &step_ops(s, *made.blocks, *made.held);
  return made;
}

void Evaluator::note_hidden(const Scenario& s, const Outline& o, const Pipelined& pipeline) {
  const Crossing& crossing = this->crossing(s, *o.blocks);
  const size_t last = pipeline.stage_class;
  const StepTransfers transfers{.pipeline = pipeline,
                                .blocks = *o.layers->calls,
                                .held = o.held->deal->classes[last].total,
                                .splits_backward = o.held->deal->schedule->splits_backward,
                                .boundary = crossing.boundary,
                                .crossing = crossing.cost.seconds.value,
                                .crossing_row = crossing.row,
                                .once = step_calls_.at(words_, {}).value[last],
                                .wide = (*o.step_ops)[last]};
  hide(s, transfers, hidden_);
  if (const double shift = error_shift(s); shift != 1)  // as a plan's rows
    for (HiddenRow& row : hidden_) row.seconds *= shift;
}

PlanFigures Evaluator::figures(const Scenario& s) {
  const MemoryPeaks& memory = this->memory(s);
  const std::optional<Outline> o = outline(s);
  if (!o) return figures_alone(s);
  const Pipelined& pipeline = pipelined(s, *o->blocks, *o->held, *o->stages);
  const auto step_of = [&](const Pipelined& each) {
    const size_t last = each.stage_class;
    return make_step(s, {each, o->held->holdings[last].layers, o->stages->sums[last], (*o->step_ops)[last]});
  };
  Step step;
  if (pipeline.others.empty()) {
    step = step_of(pipeline);
    if (calls_) note_hidden(s, *o, pipeline);
  } else {
    Pipelined own = pipeline;
    step = make_last_step(*o->held->deal, own, step_of);
    if (calls_) note_hidden(s, *o, own);
  }
  PlanFigures figures = make_figures(s, step, memory, model_flops(s), o->stages->executed, pipeline.microbatches);
  figures.priced = o->priced() && pipeline.priced;
  return figures;
}

bool Evaluator::decided_by_least(const Scenario& s, const std::function<bool(const PlanFigures&)>& decides) {
  if (!tame_) return false;
  Blocks& made = blocks(s);
  if (!made.shared) return false;
  time(s, made);
  const ClassHoldings& stages_of = held(s, made);
  const auto says = [&](const ExecutedFlops& executed, double seconds) {
    Step least;
    least.breakdown.forward = seconds;
    return decides(make_figures(s, least, memory(s), model_flops(s), executed, microbatches_of(s)));
  };
  const BlockWork& alone = work(made, stages_of);
  if (says(alone.executed, least_work_seconds(s, *stages_of.deal, alone.times))) return true;
  const std::optional<Outline> o = outline(s);
  if (!o) return false;
  Piped& pipeline = pipelined_.at(words_, {o->stages->id}).value;
  if (pipeline.whole) return false;
  StepOutline step{
      .deal = *o->held->deal, .sums = o->stages->sums, .wide = *o->step_ops, .holdings = o->held->holdings};
  if (!pipeline.least) {
    if (says(o->stages->executed, least_step_seconds(s, step))) return true;
    pipeline.least = least_makespans(s, *o->held->deal, o->stages->profile, crossing(s, made).cost.seconds.value);
  }
  step.makespans = *pipeline.least;
  return says(o->stages->executed, least_step_seconds(s, step));
}

}  // namespace planner
