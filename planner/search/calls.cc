#include "planner/search/calls.h"

#include "planner/plan/hidden.h"
#include "planner/workload/split_exposed.h"

namespace planner {

BlockCalls calls_of(const Scenario& s, const CostedBlock& before, CostedBlock& block) {
  BlockCalls calls;
  for (const CostedOp& op : block.ops)
    if (op.communication)
      calls.push_back({.count = op.work->count, .seconds = op.cost.seconds.value, .exposed = op.exposed});
  if (calls.empty()) return calls;
  expose_as_split(s, before, block);
  auto next = calls.begin();
  for (const CostedOp& op : block.ops)
    if (op.communication) next++->exposed_split = op.exposed;
  return calls;
}

StepCalls step_calls(const std::vector<CostedOp>& step_ops) {
  StepCalls all;
  for (const CostedOp& op : step_ops) {
    if (!op.communication) continue;
    StepCall& call = all.emplace_back();
    call.calls = {.count = op.work->count, .seconds = op.cost.seconds.value, .exposed = op.exposed};
    if (op.work->hide == Hide::last_backward) call.under = &StepWide::under_backward;
    if (op.work->hide == Hide::first_forward) call.under = &StepWide::under_forward;
    if (op.work->hide == Hide::host_update) call.under = &StepWide::under_host;
  }
  return all;
}

namespace {

// Transfers stand in each list of `wide` in the order of their operators.
double add_hidden(double sum, const StepCalls& once, const StepWide& wide) {
  size_t backward = 0, forward = 0, host = 0;
  for (const StepCall& call : once) {
    double exposed = call.calls.exposed;
    if (call.under) {
      size_t& next = call.under == &StepWide::under_backward  ? backward
                     : call.under == &StepWide::under_forward ? forward
                                                              : host;
      exposed = (wide.*call.under)[next++].exposed;
    }
    sum += hidden_seconds(call.calls.count, call.calls.seconds, exposed);
  }
  return sum;
}

}  // namespace

double hidden_of(const Scenario& s, const StepTransfers& t) {
  const double microbatches = static_cast<double>(t.pipeline.microbatches);
  double sum = 0;
  for (size_t i = 0; i < t.held.size(); ++i) {
    if (t.held[i] <= 0) continue;
    const double times = microbatches * static_cast<double>(t.held[i]);
    for (const Calls& calls : t.blocks[i])
      sum +=
          hidden_seconds(times * calls.count, calls.seconds, t.splits_backward ? calls.exposed_split : calls.exposed);
  }
  if (t.boundary.boundary.bytes.value > 0)
    sum += hidden_crossings(crossings_of(s, t.pipeline.microbatches), t.crossing, t.pipeline.time.send);
  return add_hidden(sum, t.once, t.wide);
}

}  // namespace planner
