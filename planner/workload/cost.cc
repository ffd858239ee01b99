#include "planner/workload/cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "operator_models/kinds.h"
#include "operator_models/models.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/overlap.h"

namespace planner {
namespace {

using operator_models::Cost;
using operator_models::Gemm;

// Ranks never arrive together: what nothing hides waits for the last of them.
dsl::Seconds skew_of(const Scenario& s, const operator_models::Operator& op) {
  const auto* c = std::get_if<operator_models::Collective>(&op);
  if (!c || c->group.ranks <= 1) return {};
  return std::log2(static_cast<double>(c->group.ranks)) * (s.software.skew + s.cluster.skew);
}

// Between kernels that the host launches one by one the device waits a little longer than inside a graph.
dsl::Seconds launch_with_gap(const Scenario& s) {
  const bool gaps = s.software.gap.value > 0 && s.software.graphs != Graphs::step;
  return gaps ? s.calibration.launch + s.software.gap : dsl::Seconds{};
}

// Scales and largest values of a narrow GEMM's operands: small kernels, one after the other.
dsl::Seconds narrow_gap(const Scenario& s, const operator_models::Operator& op) {
  const auto* g = std::get_if<Gemm>(&op);
  return g && g->precision >= hw_profiles::Precision::fp8 ? s.software.narrow_gap : dsl::Seconds{};
}

// A hypothetical device computes faster than the one that its models were measured on: kernels with their launch.
bool runs_on_device(const CostedOp& c) { return !c.communication && !operator_models::kind(c.work->op).on_host; }

void speed_up(const Scenario& s, CostedOp& c) {
  if (s.cluster.gpu.speedup == 1 || !runs_on_device(c)) return;
  c.cost.seconds = c.cost.seconds / s.cluster.gpu.speedup;
  c.cost.launch = c.cost.launch / s.cluster.gpu.speedup;
}

operator_models::Operator as_run(const Scenario& s, const operator_models::Operator& op) {
  operator_models::Operator run = oriented(op);
  if (auto* g = std::get_if<Gemm>(&run); g && s.software.pads_gemms) g->unaligned = false;
  return run;
}

std::vector<CostedOp> cost_ops(const Scenario& s, const operator_models::Device& device,
                               const std::vector<WorkOp>& ops) {
  std::vector<CostedOp> out;
  out.reserve(ops.size());
  for (const WorkOp& w : ops) {
    CostedOp c{.work = &w,
               .cost = operator_models::cost(as_run(s, w.op), device, s.operator_models),
               .communication = is_communication(w.op)};
    c.cost.seconds += narrow_gap(s, w.op);
    speed_up(s, c);
    if (c.communication && w.hide == Hide::nothing) {
      c.cost.seconds += skew_of(s, w.op);
      c.exposed = c.cost.seconds.value;
    }
    out.push_back(c);
  }
  return out;
}

// Communication of a pass that is hidden under single operators: all that share a cover wait for it together. A cover
// that runs in another pass hides nothing.
template <class Holds> void hide_under_covers(const Scenario& s, std::vector<CostedOp>& ops, const Holds& holds) {
  std::map<int, Beside> network;
  auto covered = [&](const CostedOp& c) { return c.work->hide == Hide::cover && holds(*c.work); };
  for (const CostedOp& c : ops) {
    if (!covered(c)) continue;
    Transfer once = transfer_of(s, c);
    once.count = 1;
    network[c.work->cover].add(once);
  }
  for (CostedOp& c : ops) {
    if (!covered(c) || c.cost.seconds.value == 0) continue;
    const Beside& all = network[c.work->cover];
    const CostedOp& cover = ops[static_cast<size_t>(c.work->cover)];
    const double compute = holds(*cover.work) ? cover.cost.seconds.value : 0;
    c.exposed = all.exposed(compute) * c.cost.seconds.value / all.network;
  }
}

// The host keeps pace with a faster device, else launches would soon decide (hw_profiles: speedup).
double host_factor(const Scenario& s) { return s.cluster.host.launch / s.cluster.gpu.speedup; }

// Seconds of the host to launch operators one after the other, and of the device to run them.
struct Race {
  double host = 0, device = 0;
  double idle() const { return std::max(0.0, host - device); }
};

bool in_graph(const Scenario& s, const CostedOp& c) {
  return s.software.graphs == Graphs::static_parts && !c.work->routed && !c.communication;
}

double seconds_in_step(const CostedOp& op) {
  return op.work->count * (op.communication ? op.exposed : op.cost.seconds.value);
}

// The device waits for the host where that launches more slowly than it runs; a graph's operators launch themselves.
// Without dropped tokens the host reads their counts back and has no lead then: the routed part of a pass races what
// the host needs for it, the rest of the pass races the rest. Published steps on GB200 show none of a Grace's slower
// launches (`host.launch`) there.
template <class Holds>
double idle_for_host(const Scenario& s, const std::vector<CostedOp>& ops, const Holds& holds, double device) {
  if (s.software.graphs == Graphs::step) return 0;
  const bool waits = waits_for_counts(s);
  const double pace = 1 / s.cluster.gpu.speedup, launch = s.software.launch.value;
  bool reads = false;  // the counts: weight gradients that run by themselves come later
  Race routed, rest;
  for (const CostedOp& c : ops) {
    if (!holds(*c.work)) continue;
    const bool alone = waits && c.work->routed;
    if (!in_graph(s, c)) (alone ? routed : rest).host += c.work->count * launch * (alone ? pace : host_factor(s));
    if (alone && c.work->hide != Hide::block) routed.device += seconds_in_step(c);
    reads |= alone && !c.work->weight_gradient;
  }
  if (reads) routed.host += s.software.experts.wait.value * pace;
  rest.device = device - routed.device;
  return s.software.launch_blocking ? routed.host + rest.host : routed.idle() + rest.idle();
}

// What runs one after the other on the device: a phase of a block, or one half of its backward pass; `holds` says which
// operators. `beside`: seconds of its neighbour, under which what hides in the whole pass hides as well.
template <class Holds>
PhaseTime pass_time(const Scenario& s, std::vector<CostedOp>& ops, const Holds& holds, double beside = 0) {
  hide_under_covers(s, ops, holds);
  PhaseTime t;
  auto sum = [&](bool block_level) {
    for (const CostedOp& c : ops) {
      if (!holds(*c.work) || (c.work->hide == Hide::block) != block_level) continue;
      if (!c.communication) t.compute += c.work->count * c.cost.seconds.value;
      else (is_serialized(*c.work) ? t.serialized : t.exposed) += c.work->count * c.exposed;
    }
  };
  sum(false);
  t.host = idle_for_host(s, ops, holds, t.total());
  std::vector<CostedOp*> hidden;
  for (CostedOp& c : ops)
    if (c.communication && c.work->hide == Hide::block && holds(*c.work)) hidden.push_back(&c);
  expose(s, hidden, {.seconds = t.total() + beside});
  sum(true);
  return t;
}

PhaseTime phase_time(const Scenario& s, std::vector<CostedOp>& ops, StepPhase phase, double beside = 0) {
  return pass_time(
      s, ops, [phase](const WorkOp& w) { return w.phase == phase; }, beside);
}

// Gradients of the weights, and their reduction.
bool is_of_weight_half(const WorkOp& w) {
  const auto* c = std::get_if<operator_models::Collective>(&w.op);
  const bool reduces = c && c->kind == operator_models::CollectiveKind::reduce_scatter && w.purpose == Purpose::fsdp;
  return w.phase == StepPhase::backward && (w.weight_gradient || reduces);
}

// The two halves of a backward pass that is split run at different times: each hides what is its own, and is waited for
// by itself.
SplitBackward split_backward(const Scenario& s, std::vector<CostedOp>& ops, double recompute) {
  const auto is_other = [](const WorkOp& w) { return w.phase == StepPhase::backward && !is_of_weight_half(w); };
  return {.inputs = pass_time(s, ops, is_other, recompute), .weights = pass_time(s, ops, is_of_weight_half)};
}

// Matrix products only, as MFU counts them; vector kernels would add less than a per cent.
bool is_matrix_product(const operator_models::Operator& op) { return operator_models::kind(op).multiplies; }

Totals totals_of(const std::vector<CostedOp>& ops) {
  Totals t;
  bool routed = false;
  for (const CostedOp& op : ops) {
    t.errors.add(op.work->op.index(), seconds_in_step(op), op.cost.relative_error);
    routed |= op.work->routed;
    if (!is_matrix_product(op.work->op)) continue;
    const double flops = op.work->count * op.cost.flops;
    t.matrix_flops += flops;
    if (op.work->adapter && op.work->phase == StepPhase::forward) t.adapter_flops += flops;
  }
  if (routed) t.errors.mixtures = t.errors.seconds;
  add_busy(ops, StepPhase::forward, t.busy_forward);
  add_busy(ops, StepPhase::backward, t.busy_backward);
  add_busy(ops, StepPhase::recompute, t.busy_backward);
  return t;
}

CostedBlock cost_block(const Scenario& s, const operator_models::Device& device, const Block& block) {
  CostedBlock c{.ops = cost_ops(s, device, block.ops), .forward = {}, .backward = {}, .recompute = {}};
  c.forward = phase_time(s, c.ops, StepPhase::forward);
  c.recompute = phase_time(s, c.ops, StepPhase::recompute);
  // Recompute and backward of a block run one after the other: gathers for both hide under both.
  c.split = split_backward(s, c.ops, c.recompute.total());
  c.backward = phase_time(s, c.ops, StepPhase::backward, c.recompute.total());
  c.totals = totals_of(c.ops);
  return c;
}

}  // namespace

PhaseTime& PhaseTime::operator+=(const PhaseTime& o) {
  compute += o.compute;
  serialized += o.serialized;
  exposed += o.exposed;
  host += o.host;
  return *this;
}

void Totals::add(double times, const Totals& o) {
  matrix_flops += times * o.matrix_flops;
  adapter_flops += times * o.adapter_flops;
  errors.add(times, o.errors);
  for (size_t i = 0; i < busy_forward.size(); ++i) {
    busy_forward[i] += times * o.busy_forward[i];
    busy_backward[i] += times * o.busy_backward[i];
  }
}

PhaseTime SplitBackward::total() const {
  PhaseTime sum = inputs;
  return sum += weights;
}

PhaseTime operator*(double k, PhaseTime t) { return {k * t.compute, k * t.serialized, k * t.exposed, k * t.host}; }

// Whether rows of A, B or C, in all of which features lie side by side, are no multiple of 16 bytes: in a weight
// gradient it is the tokens that are summed over, elsewhere they are the columns (m, n, k as a workload has them).
static bool is_unaligned(const Gemm& g) {
  if (g.precision == hw_profiles::Precision::fp32) return false;  // vector units load single elements
  const auto elements = static_cast<int64_t>(16 / operator_models::operand_bytes(g.precision));
  const int64_t other = g.pass == operator_models::GemmPass::wgrad ? g.n : g.k;
  return g.m % elements != 0 || other % elements != 0;
}

operator_models::Operator oriented(const operator_models::Operator& op) {
  if (const auto* g = std::get_if<Gemm>(&op)) {
    Gemm turned = *g;
    std::swap(turned.m, turned.n);
    std::swap(turned.a_bytes, turned.b_bytes);
    turned.unaligned = is_unaligned(*g);
    return turned;
  }
  return op;
}

operator_models::Device device_of(const Scenario& s) {
  operator_models::Device device{.gpu = &s.cluster.gpu,
                                 .network = &s.cluster.network,
                                 .calibration = &s.calibration,
                                 .launch = launch_with_gap(s),
                                 .slowdown = s.software.vector_slowdown,
                                 .host = &s.cluster.host,
                                 .gpus_per_host = std::min(s.cluster.gpus, s.cluster.gpus_per_node)};
  if (!s.fitted.empty()) device.fitted = fitted_slots(s);
  return device;
}

CostedWorkload cost_blocks(const Scenario& s, Workload workload) {
  CostedWorkload c;
  c.workload = std::move(workload);
  const operator_models::Device device = device_of(s);
  for (const Block& block : c.workload.blocks) c.blocks.push_back(cost_block(s, device, block));
  return c;
}

StageSums sum_stage(const std::vector<CostedBlock>& blocks, const Chunk& held, bool splits_backward) {
  StageSums sums;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0) continue;
    const double count = static_cast<double>(held[i]);
    sums.time.forward += count * blocks[i].forward;
    sums.time.backward += count * (splits_backward ? blocks[i].split.total() : blocks[i].backward);
    sums.time.recompute += count * blocks[i].recompute;
    sums.totals.add(count, blocks[i].totals);
  }
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
    if (op.communication && hide == Hide::last_backward) wide.under_backward.push_back(transfer_of(s, op));
    if (op.communication && hide == Hide::first_forward) wide.under_forward.push_back(transfer_of(s, op));
    if (op.communication && hide == Hide::host_update) wide.under_host.push_back(transfer_of(s, op));
    if (op.communication && hide != Hide::nothing) continue;
    const double seconds = seconds_in_step(op);
    (op.communication ? wide.serialized : wide.optimizer) += seconds;
    if (operator_models::kind(op.work->op).on_host) wide.host += seconds;
    wide.errors.add(op.work->op.index(), seconds, op.cost.relative_error);
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

CostedWorkload cost_workload(const Scenario& s, Workload workload) {
  CostedWorkload c = cost_blocks(s, std::move(workload));
  const bool splits = c.workload.deal.schedule->splits_backward;
  for (CostedBlock& block : c.blocks)
    if (splits) split_backward(s, block.ops, block.recompute.total());  // sets what is exposed
  for (const StageClass& stage : c.workload.classes)
    c.classes.push_back({cost_step_ops(s, stage), sum_stage(c.blocks, stage.total(), splits)});
  c.boundary = cost_boundary(s, c.workload);
  return c;
}

}  // namespace planner
