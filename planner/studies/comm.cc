#include "planner/studies/comm.h"

#include <algorithm>

#include "planner/step.h"
#include "planner/workload/passes.h"

namespace planner {
namespace {

/// The step of a scenario, with what it was summed from.
struct Timed {
  CostedWorkload costed;
  Pipelined pipeline;
  Step step;
  const StageClass& stage() const { return costed.workload.classes[pipeline.stage_class]; }
};

Timed time_step(const Scenario& s) {
  Timed t{.costed = cost_workload(s, build_workload(s)), .pipeline = {}, .step = {}};
  t.pipeline = make_pipelined(s, t.costed);
  t.step = make_step(s, t.costed, t.pipeline);
  return t;
}

// Compute of one pass of a block that communication may hide under, in microbatches: all of them, or the last alone.
struct Covered {
  double forward = 0, backward = 0;
  void take(StepPhase phase, double microbatches) {
    double& mine = phase == StepPhase::forward ? forward : backward;
    mine = std::max(mine, microbatches);
  }
};

// Step-wide communication: whole passes of one microbatch.
Covered step_wide_cover(const StageClass& stage) {
  Covered c;
  for (const WorkOp& op : stage.step_ops)
    if (op.purpose != Purpose::none && op.purpose != Purpose::pp)
      c.take(op.phase == StepPhase::optimizer ? StepPhase::forward : StepPhase::backward, 1);
  return c;
}

double covering_seconds(const CostedBlock& block, Covered covered, double microbatches) {
  double single = 0;  // operators that cover communication of their own
  for (const CostedOp& op : block.ops)
    if (op.communication && op.work->hide == Hide::block) covered.take(op.work->phase, microbatches);
  std::vector<int> seen;
  for (const CostedOp& op : block.ops) {
    if (!op.communication || op.work->hide != Hide::cover) continue;
    const bool forward = op.work->phase == StepPhase::forward;
    if ((forward ? covered.forward : covered.backward) >= microbatches) continue;
    if (std::ranges::find(seen, op.work->cover) != seen.end()) continue;
    seen.push_back(op.work->cover);
    const CostedOp& cover = block.ops[static_cast<size_t>(op.work->cover)];
    single += microbatches * cover.work->count * cover.cost.seconds.value;
  }
  return single + covered.forward * block.forward.compute +
         covered.backward * (block.backward.compute + block.recompute.compute);
}

double hiding_seconds(const Timed& t) {
  const Covered wide = step_wide_cover(t.stage());
  const Chunk held = t.stage().total();
  double seconds = 0;
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i] > 0)
      seconds += static_cast<double>(held[i]) *
                 covering_seconds(t.costed.blocks[i], wide, static_cast<double>(t.costed.workload.microbatches));
  return seconds;
}

}  // namespace

CommFractions comm_fractions(const Scenario& s) {
  const Timed t = time_step(s);
  const double step = t.step.breakdown.sum();
  CommFractions f;
  double overlapped = 0;
  for (const CommunicationRow& row : communication_rows(s, t.costed, t.pipeline))
    overlapped += row.serialized ? row.hidden_seconds : row.seconds;
  f.serialized_fraction = t.step.breakdown.serialized_comm / step;
  f.exposed_fraction = t.step.breakdown.exposed_comm / step;
  f.overlapped_share_of_step = overlapped / step;
  const double hiding = hiding_seconds(t);
  if (overlapped > 0 && hiding > 0) f.overlapped_over_hiding_compute = overlapped / hiding;
  return f;
}

}  // namespace planner
