#include "planner/studies/comm/region.h"

#include <algorithm>
#include <variant>

#include "planner/plan/algorithm.h"
#include "planner/workload/cost.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

// What a layer trains beside its matrices: biases and norms, whose gradients no GEMM makes.
double other_elements(const Block& layer) {
  double elements = layer.trained().sum();
  for (const WorkOp& op : layer.ops)
    if (is_weight_gradient(op)) elements -= op.count * matrix_elements(op);
  return std::max(0.0, elements);
}

bool multiplies_weights(const WorkOp& w) { return !is_core_attention(w.role) && std::holds_alternative<Gemm>(w.op); }
bool counted(const WorkOp& w) { return w.phase == StepPhase::forward || w.phase == StepPhase::backward; }

// Gradients by themselves: summed on all ranks, or scattered over their shard group.
void reduce(const Scenario& s, double elements, bool routed, RegionRow& row) {
  const bool shards = s.parallelism.zero > 0;
  WorkOp w;
  w.phase = StepPhase::backward;
  w.hide = Hide::last_backward;
  const Collective sum{.kind = shards ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                       .bytes = {elements * s.software.reduce_bytes},
                       .group = shards ? (routed ? expert_shard_group(s) : shard_group(s))
                                       : (routed ? expert_data_group(s) : data_group(s))};
  if (sum.group.ranks <= 1 || elements <= 0) return;
  w.op = sum;
  StageClass alone;
  alone.step_ops = {w};
  row.collective_bytes = sum.bytes.value;
  row.collective_seconds = cost_step_ops(s, alone).front().cost.seconds.value;
}

/// A layer of one kind with nothing but its matrices' backward GEMMs.
Block only_region(const Block& layer) {
  Block block;
  block.kind = layer.kind;
  block.name = layer.name;
  for (const WorkOp& wgrad : layer.ops) {
    if (!is_weight_gradient(wgrad)) continue;
    for (const WorkOp& w : layer.ops)
      if (is_data_gradient_of(w, wgrad)) block.ops.push_back(w);
    block.ops.push_back(wgrad);
  }
  for (WorkOp& w : block.ops) {
    w.inputs.clear();
    w.forward = -1;
  }
  return block;
}

void add_row(Region& region, const RegionRow& row, double repeats) {
  region.region_operators += row.collective_seconds > 0 ? repeats : 0;
  region.region_seconds += repeats * (row.compute_seconds + row.collective_seconds);
  region.layers.push_back(row);
}

void add_layer(const Scenario& s, Region& region, const CostedBlock& block, const std::string& prefix, double repeats) {
  RegionRow row;
  for (const CostedOp& op : block.ops) {
    row.compute_seconds += op.work->count * op.cost.seconds.value;
    region.region_operators += repeats * op.work->count;
    region.region_flops += repeats * product_flops(*op.work);
    if (!is_weight_gradient(*op.work)) continue;
    row.name = prefix + matrix_of(*op.work);
    reduce(s, matrix_elements(*op.work), op.work->routed, row);
    add_row(region, row, repeats);
    row = {};
  }
}

// The whole step, to compare with: its calls and their seconds, communication included.
void add_step(const Scenario& s, Region& region, const Workload& w, const Chunk& held, const StageClass& stage) {
  const auto add = [&](const CostedOp& op, double repeats) {
    region.operators += repeats * op.work->count;
    region.operator_seconds += repeats * op.work->count * op.cost.seconds.value;
  };
  const CostedWorkload costed = cost_blocks(s, w);
  for (size_t i = 0; i < held.size(); ++i) {
    const double repeats = static_cast<double>(held[i] * w.microbatches);
    for (const CostedOp& op : costed.blocks[i].ops) {
      add(op, repeats);
      if (counted(*op.work) && multiplies_weights(*op.work) && w.blocks[i].kind == BlockKind::layer)
        region.gemm_flops += static_cast<double>(held[i]) * product_flops(*op.work);
    }
  }
  for (const CostedOp& op : cost_step_ops(s, stage)) add(op, 1);
}

}  // namespace

Region cost_region(const Scenario& s) {
  const Workload w = build_workload(s);
  const StageClass& stage = w.classes[fullest_class(w)];
  const Chunk held = stage.total();
  const bool several = std::ranges::count(w.blocks, BlockKind::layer, &Block::kind) > 1;
  Region region;
  double compute = 0, network = 0;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0 || w.blocks[i].kind != BlockKind::layer) continue;
    Workload alone;
    alone.blocks = {only_region(w.blocks[i])};
    const size_t first = region.layers.size();
    const double layers = static_cast<double>(held[i]);
    const std::string prefix = several ? w.blocks[i].name + "/" : "";
    add_layer(s, region, cost_blocks(s, alone).blocks.front(), prefix, layers);
    RegionRow others{.name = prefix + "biases and norms"};
    reduce(s, other_elements(w.blocks[i]), false, others);
    if (others.collective_seconds > 0) add_row(region, others, layers);
    for (size_t row = first; row < region.layers.size(); ++row) {
      compute += layers * region.layers[row].compute_seconds;
      network += layers * region.layers[row].collective_seconds;
    }
  }
  add_step(s, region, w, held, stage);
  if (network > 0 && compute > 0) region.overlapped_over_hiding_compute = network / compute;
  return region;
}

}  // namespace planner
