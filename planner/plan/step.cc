#include "planner/plan/step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "planner/plan/uncertainty.h"
#include "planner/workload/overlap.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

constexpr size_t kSend = operator_models::Operator(operator_models::SendRecv{}).index();

// Step-wide communication hides under a pass of one microbatch, beside what that pass sends itself. The last bucket -
// one layer's share - has nothing left to hide under, whatever the software overlaps.
Cover pass_of(const StepTerms& p, double seconds, const WireSeconds& busy) {
  return {.seconds = seconds,
          .busy = &busy,
          .last_share = 1 / std::max(1.0, p.layers),
          .send_wire = p.pipeline.send_wire,
          .send_seconds = p.pipeline.send_seconds};
}

double straggling(const Scenario& s, double seconds) {
  const double nodes = static_cast<double>(s.cluster.gpus) / static_cast<double>(s.cluster.gpus_per_node);
  return seconds * s.software.straggling * std::max(0.0, std::log2(std::max(1.0, nodes)));
}

ErrorSum errors_of(const StepTerms& p) {
  ErrorSum errors = p.wide.errors;
  errors.add(static_cast<double>(p.pipeline.microbatches), p.sums.totals.errors);
  for (const std::vector<HiddenTransfer>& transfers : p.wide.under)
    for (const HiddenTransfer& t : transfers) errors.add(t.kind, t.count * t.exposed, t.relative_error, t.assumed);
  errors.add(kSend, p.pipeline.time.send, p.pipeline.relative_error, p.pipeline.assumed);
  return errors;
}

ChunkTime part_time(const std::vector<CostedBlock>& blocks, const Chunk& chunk, bool split) {
  ChunkTime t;
  for (size_t i = 0; i < chunk.size(); ++i) {
    if (chunk[i] == 0) continue;
    const double count = static_cast<double>(chunk[i]);
    t.forward += count * blocks[i].forward.total();
    const double backward = split ? blocks[i].split.inputs.total() : blocks[i].backward.total();
    t.backward += count * (backward + blocks[i].recompute.total());
    if (split) t.weight_gradient += count * blocks[i].split.weights.total();
  }
  return t;
}

void finish_with(Pipelined& p, const PipelineTime& time, const StageDeal& deal) {
  p.time = time;
  p.stage_class = static_cast<size_t>(deal.class_of_stage[static_cast<size_t>(time.stage)]);
}

// The latest stage of all, and of the other classes the latest of each.
void note_stages(Pipelined& p, const StageDeal& deal, const std::vector<PipelineTime>& stages) {
  std::vector<const PipelineTime*> latest(deal.classes.size());
  for (const PipelineTime& each : stages) {
    const PipelineTime*& of = latest[static_cast<size_t>(deal.class_of_stage[static_cast<size_t>(each.stage)])];
    if (!of || each.seconds > of->seconds) of = &each;
  }
  finish_with(p, std::ranges::max(stages, {}, &PipelineTime::seconds), deal);
  for (const PipelineTime* each : latest)
    if (each && each->stage != p.time.stage) p.others.push_back(*each);
}

Step step_of(const Scenario& s, CostedWorkload& c, const Pipelined& pipeline) {
  CostedStage& stage = c.classes[pipeline.stage_class];
  StepWide wide = step_wide(s, stage.step_ops);
  const Step step = make_step(s, {pipeline, c.workload.classes[pipeline.stage_class].layers, stage.sums, wide});
  std::array<size_t, kStepCovers.size()> next{};
  for (CostedOp& op : stage.step_ops)
    if (const size_t cover = step_cover_of(op.work->hide); op.communication && cover < next.size())
      op.exposed = wide.under[cover][next[cover]++].exposed;
  return step;
}

}  // namespace

PipelineProfile pipeline_profile(const Scenario& s, const StageDeal& deal, const std::vector<CostedBlock>& blocks) {
  PipelineProfile profile;
  profile.reset(s.parallelism.pp, s.parallelism.interleave);
  for (const StageDeal::ChunkRun& run : deal.parts)
    profile.add(run.count, part_time(blocks, deal.chunks[run.chunk], deal.schedule->splits_backward));
  return profile;
}

PipelineTraffic traffic_of(const Scenario& s, double boundary_seconds) {
  return {.microbatches = microbatches_of(s),
          .send = boundary_seconds * (s.job.phase == Phase::train ? 1 : 0.5),
          .sends_overlap = s.software.overlap.pipeline && s.parallelism.interleave > 1};
}

PipelineShape pipeline_shape(const Scenario& s, const CostedWorkload& c) {
  const PipelineTraffic traffic = traffic_of(s, c.boundary.seconds.value);
  PipelineShape shape{.stages = s.parallelism.pp,
                      .chunks = s.parallelism.interleave,
                      .microbatches = traffic.microbatches,
                      .send = traffic.send,
                      .sends_overlap = traffic.sends_overlap};
  const PipelineProfile profile = pipeline_profile(s, c.workload.deal, c.blocks);
  for (const PartRun& run : profile.runs())
    shape.times.insert(shape.times.end(), static_cast<size_t>(run.count), run.time);
  return shape;
}

Pipelined make_pipelined(const Scenario& s, const Boundary& w, const operator_models::Cost& boundary,
                         const PipelineProfile& profile, const StageDeal& deal) {
  const PipelineTraffic traffic = traffic_of(s, boundary.seconds.value);
  Pipelined p{.microbatches = traffic.microbatches,
              .stage_class = 0,
              .relative_error = boundary.relative_error,
              .assumed = is_assumed(boundary),
              .priced = boundary.priced};
  if (deal.schedule->time_stages) note_stages(p, deal, deal.schedule->time_stages(profile, traffic));
  else finish_with(p, deal.schedule->time_profile(profile, traffic), deal);
  // The sends of an interleaved pipeline that run beside a stage's chunks: all but the one at the end. Those that
  // nothing overlaps stand outside the stage's own time.
  if (!traffic.sends_overlap || w.boundary.bytes.value <= 0) return p;
  const double once = operator_models::cost(w.boundary, device_of(s), s.operator_models).seconds.value;
  p.send_wire = wire_of(w.boundary);
  p.send_seconds = static_cast<double>(s.parallelism.interleave - 1) * once;
  return p;
}

Pipelined make_pipelined(const Scenario& s, const CostedWorkload& c) {
  return make_pipelined(s, c.workload, c.boundary, pipeline_profile(s, c.workload.deal, c.blocks), c.workload.deal);
}

Breakdown breakdown_of(const Scenario& s, const Pipelined& pipeline, const StageTime& t, const StepWide& wide,
                       double exposed) {
  const double m = static_cast<double>(pipeline.microbatches);
  Breakdown b;
  b.forward = m * t.forward.compute;
  b.backward = m * t.backward.compute;
  b.recompute = m * t.recompute.compute;
  b.optimizer = wide.optimizer;
  // Gradient reductions that cannot overlap are exposed data-parallel time; blocking tp and pp are serialized.
  b.serialized_comm = m * (t.forward.serialized + t.backward.serialized + t.recompute.serialized) + pipeline.time.send;
  b.exposed_comm = m * (t.forward.exposed + t.backward.exposed + t.recompute.exposed) + exposed + wide.serialized;
  b.bubble = pipeline.time.bubble;
  const double speedup = s.cluster.gpu.speedup;
  b.overhead =
      m * (t.forward.host + t.backward.host + t.recompute.host + s.software.microbatch_overhead.value / speedup) +
      s.software.step_overhead.value / speedup;
  // The slowest rank is late by a share of the step; of communication's part, too, by less where ranks are faster.
  const double comm = b.serialized_comm + b.exposed_comm;
  b.overhead += straggling(s, b.sum() - comm * std::max(0.0, 1 - 1 / speedup));
  // The user's own runs do not show which part was off: all are shifted.
  if (const double shift = error_shift(s); shift != 1)
    for (const BreakdownPart& part : kBreakdownParts) b.*part.seconds *= shift;
  return b;
}

double expose_step_wide(const StepTerms& p) {
  const StageTime& t = p.sums.time;
  const Cover forward = pass_of(p, t.forward.total(), p.sums.totals.busy_forward);
  // The host sends parameters as it updates them, the last piece at the end.
  const std::array covers{pass_of(p, t.backward.total() + t.recompute.total(), p.sums.totals.busy_backward), forward,
                          Cover{.seconds = p.wide.host, .last_share = forward.last_share}};
  static_assert(covers.size() == kStepCovers.size());
  double sum = 0;
  for (size_t i = 0; i < covers.size(); ++i)
    if (!p.wide.under[i].empty()) sum += expose(p.wide.under[i], covers[i]);
  return sum;
}

Step make_step(const Scenario& s, StepTerms p) {
  const double exposed = expose_step_wide(p);  // before the errors, which are those of the exposed part
  Step step{.breakdown = breakdown_of(s, p.pipeline, p.sums.time, p.wide, exposed)};
  step.errors = kind_errors(s, errors_of(p), step.breakdown.sum());
  return step;
}

Step make_last_step(const StageDeal& deal, Pipelined& pipeline, const std::function<Step(const Pipelined&)>& make) {
  Step last = make(pipeline);
  for (const PipelineTime& time : std::exchange(pipeline.others, {})) {
    Pipelined other = pipeline;
    finish_with(other, time, deal);
    const Step step = make(other);
    if (step.breakdown.sum() <= last.breakdown.sum()) continue;
    last = step;
    pipeline = std::move(other);
  }
  return last;
}

Step make_step(const Scenario& s, CostedWorkload& c, Pipelined& pipeline) {
  return make_last_step(c.workload.deal, pipeline, [&](const Pipelined& each) { return step_of(s, c, each); });
}

TimedStep time_step(const Scenario& s) {
  TimedStep t{.costed = cost_workload(s, build_workload(s))};
  t.pipeline = make_pipelined(s, t.costed);
  t.step = make_step(s, t.costed, t.pipeline);
  return t;
}

}  // namespace planner
