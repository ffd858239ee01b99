#include "planner/step.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "planner/workload/overlap.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes.h"

namespace planner {
namespace {

PhaseTime chunk_time(const CostedWorkload& c, const Chunk& chunk, PhaseTime CostedBlock::*phase) {
  PhaseTime t;
  for (size_t i = 0; i < chunk.size(); ++i)
    if (chunk[i] > 0) t += static_cast<double>(chunk[i]) * (c.blocks[i].*phase);
  return t;
}

StageTime stage_time(const CostedWorkload& c, const StageClass& stage) {
  StageTime t;
  for (const Chunk& chunk : stage.chunks) {
    t.forward += chunk_time(c, chunk, &CostedBlock::forward);
    t.backward += chunk_time(c, chunk, &CostedBlock::backward);
    t.recompute += chunk_time(c, chunk, &CostedBlock::recompute);
  }
  return t;
}

// The sends of an interleaved pipeline that run beside a stage's chunks: all but the one at the end. Those that nothing
// overlaps stand outside the stage's own time.
void add_sends(const Scenario& s, const CostedWorkload& c, const PipelineShape& shape, WireSeconds& busy) {
  if (!shape.sends_overlap || c.workload.boundary.bytes.value <= 0) return;
  const double seconds = operator_models::cost(c.workload.boundary, device_of(s), s.operator_models).seconds.value;
  busy[wire_of(s, c.workload.boundary)] += static_cast<double>(shape.chunks - 1) * seconds;
}

// Step-wide communication hides under a pass of one microbatch, beside what that pass sends itself. The last bucket -
// one layer's share - has nothing left to hide under, whatever the software overlaps.
Cover pass_of(const Scenario& s, const CostedWorkload& c, const Step& step, StepPhase phase) {
  const size_t index = static_cast<size_t>(step.stage_class);
  const Chunk held = c.workload.classes[index].total();
  const StageTime& t = step.classes[index];
  Cover cover{.last_share = 1 / std::max(1.0, static_cast<double>(c.workload.layers_of(held)))};
  cover.seconds = phase == StepPhase::forward ? t.forward.total() : t.backward.total() + t.recompute.total();
  cover.busy = busy_wires(s, c, held, phase);
  if (phase == StepPhase::backward)
    for (const auto& [wire, seconds] : busy_wires(s, c, held, StepPhase::recompute)) cover.busy[wire] += seconds;
  add_sends(s, c, step.shape, cover.busy);
  return cover;
}

double host_seconds(const std::vector<CostedOp>& ops) {
  double sum = 0;
  for (const CostedOp& op : ops)
    if (std::holds_alternative<operator_models::HostUpdate>(op.work->op)) sum += op.work->count * op.cost.seconds.value;
  return sum;
}

void step_wide(const Scenario& s, CostedWorkload& c, Step& step) {
  std::vector<CostedOp>& ops = c.classes[static_cast<size_t>(step.stage_class)].step_ops;
  const Cover backward = pass_of(s, c, step, StepPhase::backward), forward = pass_of(s, c, step, StepPhase::forward);
  // The host sends parameters as it updates them, the last piece at the end.
  const Cover host{.seconds = host_seconds(ops), .last_share = forward.last_share};
  step.step_exposed = expose(s, ops, Hide::last_backward, StepPhase::backward, backward) +
                      expose(s, ops, Hide::first_forward, StepPhase::optimizer, forward) +
                      expose(s, ops, Hide::host_update, StepPhase::optimizer, host);
  for (const CostedOp& op : ops) {
    if (op.communication && op.work->hide == Hide::nothing) step.step_serialized += op.work->count * op.exposed;
    if (!op.communication) step.optimizer += op.work->count * op.cost.seconds.value;
  }
}

double straggling(const Scenario& s, double seconds) {
  const double nodes = static_cast<double>(s.cluster.gpus) / static_cast<double>(s.cluster.gpus_per_node);
  return seconds * s.software.straggling * std::max(0.0, std::log2(std::max(1.0, nodes)));
}

void fill_breakdown(const Scenario& s, const CostedWorkload& c, Step& step) {
  const StageTime& t = step.classes[static_cast<size_t>(step.stage_class)];
  const double m = static_cast<double>(c.workload.microbatches);
  Breakdown& b = step.breakdown;
  b.forward = m * t.forward.compute;
  b.backward = m * t.backward.compute;
  b.recompute = m * t.recompute.compute;
  b.optimizer = step.optimizer;
  // Gradient reductions that cannot overlap are exposed data-parallel time; blocking tp and pp are serialized.
  b.serialized_comm = m * (t.forward.serialized + t.backward.serialized + t.recompute.serialized) + step.pipeline.send;
  b.exposed_comm =
      m * (t.forward.exposed + t.backward.exposed + t.recompute.exposed) + step.step_exposed + step.step_serialized;
  b.bubble = step.pipeline.bubble;
  b.overhead = m * (t.forward.host + t.backward.host + t.recompute.host + s.software.microbatch_overhead.value) +
               s.software.step_overhead.value;
  b.overhead += straggling(s, b.sum());
}

CommunicationRow row_of(const Scenario& s, const CostedOp& op, double count) {
  CommunicationRow row;
  Movement movement = movement_of(s, op.work->op);
  row.name = op.work->phase == StepPhase::recompute ? op.work->name + ".recompute" : op.work->name;
  row.kind = movement.kind;
  row.ranks = movement.ranks;
  row.tiers = std::move(movement.tiers);
  row.bytes = movement.bytes;
  row.count = count * op.work->count;
  row.seconds = row.count * op.cost.seconds.value;
  row.exposed_seconds = row.count * op.exposed;
  row.hidden_seconds = row.seconds - row.exposed_seconds;
  if (row.hidden_seconds < 0) {  // two streams slow each other: the wait belongs to the transfer
    row.seconds = row.exposed_seconds;
    row.hidden_seconds = 0;
  }
  return row;
}

CommunicationRow boundary_row(const Scenario& s, const CostedWorkload& c, const Step& step) {
  const double ways = s.job.phase == Phase::train ? 2 : 1;  // activations forward, gradients back
  const double crossings =
      ways * static_cast<double>(s.parallelism.interleave) * static_cast<double>(c.workload.microbatches);
  CommunicationRow row{.name = "pipeline.activation", .kind = "send-recv", .ranks = s.parallelism.pp, .tiers = {}};
  row.tiers.push_back(s.cluster.network[static_cast<size_t>(c.workload.boundary.tier)].name);
  row.bytes = c.workload.boundary.bytes.value;
  row.count = crossings;
  row.exposed_seconds = step.pipeline.send;
  row.seconds = std::max(crossings * c.boundary.seconds.value, row.exposed_seconds);
  row.hidden_seconds = row.seconds - row.exposed_seconds;
  return row;
}

ChunkTime part_time(const CostedWorkload& c, const Chunk& chunk, bool split) {
  ChunkTime t{.forward = chunk_time(c, chunk, &CostedBlock::forward).total(),
              .backward = chunk_time(c, chunk, &CostedBlock::backward).total() +
                          chunk_time(c, chunk, &CostedBlock::recompute).total()};
  for (size_t i = 0; split && i < chunk.size(); ++i)
    t.weight_gradient += static_cast<double>(chunk[i]) * c.blocks[i].weight_gradients;
  t.weight_gradient = std::min(t.weight_gradient, t.backward);
  t.backward -= t.weight_gradient;
  return t;
}

}  // namespace

std::string schedule_name(const Scenario& s) {
  if (!s.parallelism.schedule.empty()) return s.parallelism.schedule;
  const ScheduleRow* habit = find_schedule(s.software.schedule);
  const bool fixed = habit && habit->chunks > 0, split = habit && habit->splits_backward;
  if (split && s.job.phase == Phase::forward) return s.parallelism.interleave > 1 ? "interleaved" : "1f1b";
  if (fixed ? habit->chunks == s.parallelism.interleave : s.parallelism.interleave == 1) return s.software.schedule;
  return s.parallelism.interleave > 1 ? "interleaved" : "1f1b";
}

PipelineShape pipeline_shape(const Scenario& s, const CostedWorkload& c) {
  PipelineShape shape{.stages = s.parallelism.pp,
                      .chunks = s.parallelism.interleave,
                      .microbatches = c.workload.microbatches,
                      .times = {},
                      .send = c.boundary.seconds.value * (s.job.phase == Phase::train ? 1 : 0.5),
                      .sends_overlap = s.software.overlap.pipeline && s.parallelism.interleave > 1};
  const bool split = find_schedule(schedule_name(s))->splits_backward;
  shape.times.resize(static_cast<size_t>(shape.stages * shape.chunks));
  for (int64_t r = 0; r < shape.stages; ++r) {
    const StageClass& stage =
        c.workload.classes[static_cast<size_t>(c.workload.class_of_stage[static_cast<size_t>(r)])];
    for (int64_t k = 0; k < shape.chunks; ++k)
      shape.times[static_cast<size_t>(part_of(s, k, r))] = part_time(c, stage.chunks[static_cast<size_t>(k)], split);
  }
  return shape;
}

Step make_step(const Scenario& s, CostedWorkload& c) {
  Step step;
  step.shape = pipeline_shape(s, c);
  step.pipeline = find_schedule(schedule_name(s))->time(step.shape);
  for (const StageClass& stage : c.workload.classes) step.classes.push_back(stage_time(c, stage));
  step.stage_class = c.workload.class_of_stage[static_cast<size_t>(step.pipeline.stage)];
  step_wide(s, c, step);
  fill_breakdown(s, c, step);
  return step;
}

Timeline make_timeline(const Scenario& s) {
  if (!layout_violations(s).empty()) return {};
  const CostedWorkload costed = cost_workload(s, build_workload(s));
  return simulate(pipeline_shape(s, costed), schedule_name(s));
}

std::vector<CommunicationRow> communication_rows(const Scenario& s, const CostedWorkload& c, const Step& step) {
  std::vector<CommunicationRow> rows;
  const StageClass& stage = c.workload.classes[static_cast<size_t>(step.stage_class)];
  const double m = static_cast<double>(c.workload.microbatches);
  const Chunk held = stage.total();
  for (size_t i = 0; i < held.size(); ++i)
    for (const CostedOp& op : c.blocks[i].ops)
      if (op.communication && held[i] > 0) rows.push_back(row_of(s, op, m * static_cast<double>(held[i])));
  if (c.workload.boundary.bytes.value > 0) rows.push_back(boundary_row(s, c, step));
  for (const CostedOp& op : c.classes[static_cast<size_t>(step.stage_class)].step_ops)
    if (op.communication) rows.push_back(row_of(s, op, 1));
  return rows;
}

}  // namespace planner
