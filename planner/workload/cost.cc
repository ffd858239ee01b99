#include "planner/workload/cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "operator_models/kinds.h"
#include "operator_models/models.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/concurrent.h"
#include "planner/workload/fused_cost.h"
#include "planner/workload/overlap.h"

namespace planner {
namespace {

using operator_models::Cost;

// Ranks never arrive together: what nothing hides waits for the last of them.
dsl::Seconds skew_of(const Scenario& s, const operator_models::Operator& op) {
  const auto* c = std::get_if<operator_models::Collective>(&op);
  if (!c || c->group.ranks <= 1) return {};
  return std::log2(static_cast<double>(c->group.ranks)) * (s.software.skew + s.cluster.skew);
}

// Scales and largest values of a narrow GEMM's operands: small kernels, one after the other. Experts that run by
// themselves have theirs, however many other GEMMs share one kernel for them.
dsl::Seconds narrow_gap(const Scenario& s, const WorkOp& w) {
  const auto* g = std::get_if<Gemm>(&w.op);
  if (!g || g->precision < hw_profiles::Precision::fp8) return {};
  return w.routed && !s.software.experts.grouped ? s.software.experts.narrow_gap : s.software.narrow_gap;
}

// A hypothetical device computes faster than the one that its models were measured on: kernels with their launch.
bool runs_on_device(const CostedOp& c) { return !c.communication && !operator_models::kind(c.work->op).on_host; }

void speed_up(const Scenario& s, CostedOp& c) {
  if (s.cluster.gpu.speedup == 1 || !runs_on_device(c)) return;
  c.cost.seconds = c.cost.seconds / s.cluster.gpu.speedup;
  c.cost.launch = c.cost.launch / s.cluster.gpu.speedup;
}

Cost cost_of(const Scenario& s, const operator_models::Device& device, operator_models::ChosenModels& models,
             const operator_models::Operator& op, const operator_models::Share& share) {
  if (!std::holds_alternative<Gemm>(op)) return operator_models::cost(op, device, models, share);
  operator_models::Operator run = oriented(op);
  if (s.software.pads_gemms) std::get<Gemm>(run).unaligned = false;
  return operator_models::cost(run, device, models, share);
}

CostedOp cost_op(const Scenario& s, const operator_models::Device& device, operator_models::ChosenModels& models,
                 const WorkOp& w, const operator_models::Share& share = {}) {
  CostedOp c{.work = &w, .cost = cost_of(s, device, models, w.op, share), .communication = is_communication(w.op)};
  c.cost.seconds += narrow_gap(s, w);
  speed_up(s, c);
  return c;
}

// A fused collective is exposed as far as it lengthens its GEMM, whatever else runs in the pass.
void expose_fused(const Scenario& s, const operator_models::Device& device, operator_models::ChosenModels& models,
                  std::vector<CostedOp>& ops) {
  const bool splits = s.software.fused_collectives == FusedCollectives::cu_split;
  for (CostedOp& c : ops) {
    if (c.work->hide != Hide::fused) continue;
    const CostedOp& gemm = ops[static_cast<size_t>(c.work->cover)];
    const CostedOp beside = splits ? cost_op(s, device, models, *gemm.work, left_to_gemms(s)) : gemm;
    c.exposed = fused_exposed(s, device, gemm, c, beside.cost.seconds.value);
  }
}

std::vector<CostedOp> cost_ops(const Scenario& s, const operator_models::Device& device,
                               const std::vector<WorkOp>& ops) {
  operator_models::ChosenModels models(s.operator_models);
  std::vector<CostedOp> out;
  out.reserve(ops.size());
  for (const WorkOp& w : ops) {
    CostedOp c = cost_op(s, device, models, w);
    if (c.communication && w.hide == Hide::nothing) {
      c.cost.seconds += skew_of(s, w.op);
      c.exposed = c.cost.seconds.value;
    }
    out.push_back(c);
  }
  if (s.software.fused_collectives != FusedCollectives::none) expose_fused(s, device, models, out);
  return out;
}

// Communication of a pass that is hidden under single operators: all that share a cover wait for it together. A cover
// that runs in another pass hides nothing.
template <class Holds> void hide_under_covers(const Scenario& s, std::vector<CostedOp>& ops, const Holds& holds) {
  std::map<int, CoverLoad> network;
  auto covered = [&](const CostedOp& c) { return c.work->hide == Hide::cover && holds(*c.work); };
  for (const CostedOp& c : ops) {
    if (!covered(c)) continue;
    HiddenTransfer once = transfer_of(s, c);
    once.count = 1;
    network[c.work->cover].add(once);
  }
  for (CostedOp& c : ops) {
    if (!covered(c) || c.cost.seconds.value == 0) continue;
    const CoverLoad& all = network[c.work->cover];
    const CostedOp& cover = ops[static_cast<size_t>(c.work->cover)];
    const double calls = cover.work->count / c.work->count;  // a ring travels once under all its steps
    const double compute = holds(*cover.work) ? calls * cover.cost.seconds.value : 0;
    c.exposed = all.exposed(compute) * c.cost.seconds.value / all.network;
  }
}

// The host keeps pace with a faster device, else launches would soon decide (hw_profiles: speedup).
double host_factor(const Scenario& s) { return s.cluster.host.launch / s.cluster.gpu.speedup; }

bool in_graph(const Scenario& s, const CostedOp& c) {
  return s.software.graphs == Graphs::static_parts && !c.work->routed && !c.communication;
}

double seconds_in_step(const CostedOp& op) {
  return op.work->count * (op.communication ? op.exposed : op.cost.seconds.value);
}

bool hides_in_pass(const CostedOp& c) { return c.communication && c.work->hide == Hide::block; }

// An operator that is part of another kernel is launched with it.
double launches_of(const WorkOp& op) {
  const auto* vector = std::get_if<operator_models::Vector>(&op.op);
  return vector && vector->joined ? 0 : op.count;
}

// What the host needs to launch an operator. Without dropped tokens it reads their counts back and has no lead then:
// the routed part of a pass races what the host needs for it, the rest of the pass races the rest. Published steps on
// GB200 show none of a Grace's slower launches (`host.launch`) there.
void race_host(const Scenario& s, const CostedOp& c, bool waits, PassSums& sums) {
  const bool alone = waits && c.work->routed;
  const double pace = 1 / s.cluster.gpu.speedup, launch = launches_of(*c.work) * s.software.launch.value;
  if (!in_graph(s, c)) (alone ? sums.routed_host : sums.host) += launch * (alone ? pace : host_factor(s));
  if (alone && c.work->hide != Hide::block) sums.routed_device += seconds_in_step(c);
  sums.waits |= alone && !c.work->weight_gradient;  // weight gradients that run by themselves come later
}

// Seconds in which the device waits for a host that launches more slowly than it runs; a graph's operators launch
// themselves.
double idle_for_host(const Scenario& s, const PassSums& sums) {
  if (s.software.graphs == Graphs::step) return 0;
  double routed = sums.routed_host;
  if (sums.waits) routed += s.software.experts.wait.value * (1 / s.cluster.gpu.speedup);
  if (s.software.launch_blocking) return routed + sums.host;
  const auto idle = [](double host, double device) { return std::max(0.0, host - device); };
  return idle(routed, sums.routed_device) + idle(sums.host, sums.time.total() - sums.routed_device);
}

// Adds to a pass what runs one after the other on the device: to a phase of a block, or to one half of its backward
// pass; `holds` says which operators. `beside`: seconds of its neighbour, under which what hides in the whole pass
// hides as well.
template <class Holds> PhaseTime add_to_pass(const Scenario& s, std::vector<CostedOp>& ops, PassSums& sums,
                                             const Holds& holds, double beside = 0) {
  hide_under_covers(s, ops, holds);
  const bool waits = waits_for_counts(s);
  std::vector<CostedOp*> hidden;
  for (CostedOp& c : ops) {
    if (!holds(*c.work)) continue;
    race_host(s, c, waits, sums);
    if (hides_in_pass(c)) hidden.push_back(&c);
    else if (!c.communication) sums.time.compute += c.work->count * c.cost.seconds.value;
    else (is_serialized(*c.work) ? sums.time.serialized : sums.time.exposed) += c.work->count * c.exposed;
  }
  PhaseTime t = sums.time;
  t.host = idle_for_host(s, sums);
  expose(s, hidden, {.seconds = t.total() + beside});
  for (const CostedOp* c : hidden) t.exposed += c->work->count * c->exposed;
  return t;
}

// Gradients of the weights, and their reduction.
bool is_of_weight_half(const WorkOp& w) {
  const auto* c = std::get_if<operator_models::Collective>(&w.op);
  const bool reduces = c && c->kind == operator_models::CollectiveKind::reduce_scatter && w.purpose == Purpose::fsdp;
  return w.phase == StepPhase::backward && (w.weight_gradient || reduces);
}

bool is_of_other_half(const WorkOp& w) { return w.phase == StepPhase::backward && !is_of_weight_half(w); }

// Matrix products only, as MFU counts them; vector kernels would add less than a per cent.
bool is_matrix_product(const operator_models::Operator& op) { return operator_models::kind(op).multiplies; }

void add_totals(const std::vector<CostedOp>& ops, CostedBlock& block) {
  BlockTotals& t = block.totals;
  for (const CostedOp& op : ops) {
    t.errors.add(op.work->op.index(), seconds_in_step(op), op.cost.relative_error, is_assumed(op.cost));
    block.routed |= op.work->routed;
    if (!is_matrix_product(op.work->op)) continue;
    const double flops = op.work->count * op.cost.flops;
    t.matrix_flops += flops;
    if (op.work->adapter && op.work->phase == StepPhase::forward) t.adapter_flops += flops;
  }
  add_busy(ops, StepPhase::forward, t.busy_forward);
  add_busy(ops, StepPhase::backward, t.busy_backward);
  add_busy(ops, StepPhase::recompute, t.busy_backward);
}

// Sets the exposed parts, too. Recompute and backward of a block run one after the other: gathers for both hide under
// both. The two halves of a split backward pass run at different times: each hides its own transfers, and is waited for
// separately.
SplitBackward split_backward(const Scenario& s, std::vector<CostedOp>& ops, CostedBlock& c) {
  return {.inputs = add_to_pass(s, ops, c.sums.inputs, is_of_other_half, c.recompute.total()),
          .weights = add_to_pass(s, ops, c.sums.weights, is_of_weight_half)};
}

}  // namespace

void add_ops(const Scenario& s, const operator_models::Device& device, const std::vector<WorkOp>& works,
             CostedBlock& c) {
  c.ops = cost_ops(s, device, works);
  share_gpu(s, device, c.ops);
  const auto add = [&](PassSums& sums, StepPhase phase, double beside = 0) {
    return add_to_pass(
        s, c.ops, sums, [phase](const WorkOp& w) { return w.phase == phase; }, beside);
  };
  c.forward = add(c.sums.forward, StepPhase::forward);
  c.recompute = add(c.sums.recompute, StepPhase::recompute);
  c.split = split_backward(s, c.ops, c);
  c.backward = add(c.sums.backward, StepPhase::backward, c.recompute.total());
  add_totals(c.ops, c);
  c.open = std::ranges::none_of(c.ops, hides_in_pass);
}

CostedWorkload cost_blocks(const Scenario& s, Workload workload) {
  CostedWorkload c;
  c.workload = std::move(workload);
  const operator_models::Device device = device_of(s);
  for (const Block& block : c.workload.blocks) add_ops(s, device, block.ops, c.blocks.emplace_back());
  return c;
}

StageTime sum_times(const std::vector<CostedBlock>& blocks, const Chunk& held, bool splits_backward) {
  StageTime time;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0) continue;
    const double count = static_cast<double>(held[i]);
    time.forward += count * blocks[i].forward;
    time.backward += count * (splits_backward ? blocks[i].split.total() : blocks[i].backward);
    time.recompute += count * blocks[i].recompute;
  }
  return time;
}

StageSums sum_stage(const std::vector<CostedBlock>& blocks, const Chunk& held, bool splits_backward) {
  StageSums sums{.time = sum_times(blocks, held, splits_backward)};
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i] > 0) sums.totals.add(static_cast<double>(held[i]), blocks[i].totals);
  return sums;
}

std::vector<CostedOp> cost_step_ops(const Scenario& s, const StageClass& stage) {
  return cost_ops(s, device_of(s), stage.step_ops);
}

StepWide step_wide(const Scenario& s, const std::vector<CostedOp>& step_ops) {
  StepWide wide;
  for (const CostedOp& op : step_ops) {
    const Hide hide = op.work->hide;
    wide.priced &= op.cost.priced;
    if (const size_t cover = step_cover_of(hide); op.communication && cover < kStepCovers.size())
      wide.under[cover].push_back(transfer_of(s, op));
    if (op.communication && hide != Hide::nothing) continue;
    const double seconds = seconds_in_step(op);
    (op.communication ? wide.serialized : wide.optimizer) += seconds;
    if (operator_models::kind(op.work->op).on_host) wide.host += seconds;
    wide.errors.add(op.work->op.index(), seconds, op.cost.relative_error, is_assumed(op.cost));
  }
  return wide;
}

operator_models::Cost cost_boundary(const Scenario& s, const Boundary& w) {
  operator_models::Cost boundary;
  if (w.boundary.bytes.value > 0) boundary = operator_models::cost(w.boundary, device_of(s), s.operator_models);
  if (w.rejoin.bytes.value > 0) {
    const operator_models::Cost rejoin = operator_models::cost(w.rejoin, device_of(s), s.operator_models);
    boundary.seconds += rejoin.seconds;
    boundary.priced &= rejoin.priced;
  }
  return boundary;
}

// Operators keep their exposed part for the backward pass as the schedule runs it.
void expose_as_split(const Scenario& s, const CostedBlock& before, CostedBlock& block) {
  CostedBlock again;
  again.sums = before.sums;
  again.recompute = block.recompute;
  split_backward(s, block.ops, again);
}

CostedWorkload cost_workload(const Scenario& s, Workload workload) {
  CostedWorkload c = cost_blocks(s, std::move(workload));
  const bool splits = c.workload.deal.schedule->splits_backward;
  for (CostedBlock& block : c.blocks)
    if (splits) expose_as_split(s, {}, block);
  for (const StageClass& stage : c.workload.classes)
    c.classes.push_back({cost_step_ops(s, stage), sum_stage(c.blocks, stage.total(), splits)});
  c.boundary = cost_boundary(s, c.workload);
  return c;
}

}  // namespace planner
