// Data parallelism: plain, ZeRO-1/2/3 (Rajbhandari et al. 2020), FSDP and HSDP (Zhao et al. 2023).
//
// Plain: one all-reduce of the gradients. ZeRO-1/2: reduce-scatter of the gradients and all-gather of
// the updated parameters. ZeRO-3/FSDP: per unit and per microbatch an all-gather forward, another
// backward and a reduce-scatter; HSDP adds an all-reduce of the shards between the shard groups. Beside a pipeline
// PyTorch gathers in a step's first microbatch and reduces after its last (torch/distributed/pipelining/stage.py,
// backward_maybe_with_nosync; torchtitan pull request 446), and ZeRO-2 adds up whole gradients and reduces them in the
// last microbatch, as Megatron's distributed optimizer does (core/distributed/param_and_grad_buffer.py); DeepSpeed
// refuses it there (runtime/pipe/engine.py).
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "planner/workload/insert.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

struct DataExchange {
  Label name;
  CollectiveKind kind;
  double bytes;
  Group group;
  StepPhase phase;
  Hide hide;
  Purpose purpose = Purpose::dp;
};

bool is_sent(const DataExchange& t) { return t.group.ranks > 1 && t.bytes > 0; }

WorkOp communication(const DataExchange& t) {
  return {.name = t.name,
          .phase = t.phase,
          .sublayer = Sublayer::data_parallel,
          .op = Collective{.kind = t.kind, .bytes = {t.bytes}, .group = t.group},
          .purpose = t.purpose,
          .hide = t.hide};
}

WorkOp repeated(WorkOp op, double count) {
  op.count = count;
  return op;
}

void emit(std::vector<WorkOp>& ops, const DataExchange& t) {
  if (is_sent(t)) ops.push_back(communication(t));
}

// Of gradients: buckets of one size, none larger than the software's.
void emit_in_buckets(const Scenario& s, std::vector<WorkOp>& ops, DataExchange t) {
  const double bucket = s.software.bucket_bytes.value, buckets = bucket > 0 ? std::ceil(t.bytes / bucket) : 1;
  if (!is_sent(t)) return;
  t.bytes /= buckets;
  ops.push_back(repeated(communication(t), buckets));
}

// A shard of the gradients alone: each microbatch's must be reduced before the next one's.
bool reduces_each_microbatch(const Scenario& s) {
  return shards_gradients(s) || (s.parallelism.zero == 1 && s.software.reduce_each_microbatch);
}

bool reduces_units(const Scenario& s) {
  return s.job.phase == Phase::train && !by_unit_sharding(s) && reduces_each_microbatch(s);
}

/// Weights that are summed and sharded alike, and their groups: those of routed experts have their own ranks.
struct ShardFamily {
  Label name;
  double Parameters::*part;
  Group (*data)(const Scenario&);
  Group (*shards)(const Scenario&);
  Group (*replicas)(const Scenario&);
};

std::span<const ShardFamily> families(const Scenario& s) {
  static const std::array kFamilies{
      ShardFamily{"", &Parameters::common, data_group, shard_group, replica_group},
      ShardFamily{"experts-", &Parameters::routed, expert_data_group, expert_shard_group, expert_replica_group}};
  return std::span(kFamilies).first(s.model.experts.count > 0 ? 2 : 1);
}

// The ends of the backward pass in which the family's gradients stand.
Numbers unread_gradients(Inserter& put, const ShardFamily& f) {
  Numbers ends;
  const bool routed = f.part == &Parameters::routed;
  std::vector<bool> read(static_cast<size_t>(put.size()), false);
  for (int i = 0; i < put.size(); ++i)
    if (put[i].phase == StepPhase::backward)
      for (int input : put[i].inputs)
        if (input >= 0) read[static_cast<size_t>(input)] = true;
  for (int i = 0; i < put.size(); ++i)
    if (ends_in_weights(put[i]) && put[i].routed == routed && !read[static_cast<size_t>(i)]) ends.push_back(i);
  return ends;
}

/// A copy of a unit: `kernels` kernels read and write `bytes` per parameter.
struct UnitCopy {
  double parameters = 0, bytes = 0, kernels = 1;
};

// torch.distributed.all_gather and reduce_scatter of lists join and split their buffer rank by rank.
double copy_kernels(const Scenario& s, const Group& shards, double calls) {
  return s.software.copies_by_rank ? std::max(1.0, calls) * static_cast<double>(shards.ranks) : 1;
}

WorkOp copy_of_unit(const Label& name, StepPhase phase, const UnitCopy& copy) {
  const double moved = copy.bytes / 2 * copy.parameters / copy.kernels;
  return {.name = name,
          .phase = phase,
          .sublayer = Sublayer::data_parallel,
          .op = operator_models::Vector{.kind = operator_models::VectorKind::cast,
                                        .elements = copy.parameters / copy.kernels,
                                        .read = {moved},
                                        .written = {moved}},
          .count = copy.kernels,
          .of_weights = true};
}

// The views of a flat parameter hand their gradients back one by one: they are joined, widened and divided before the
// reduction, whole on every rank.
int copy_gradient(const Scenario& s, const Block& block, Inserter& put, const ShardFamily& f, double calls) {
  const double parameters = block.trained(ends_together(s)).*f.part;
  if (parameters * s.software.unit_bytes <= 0) return -1;
  WorkOp w = copy_of_unit("fsdp." + f.name + "copy-gradient", StepPhase::backward,
                          {parameters, s.software.unit_bytes, copy_kernels(s, f.shards(s), calls)});
  w.inputs = unread_gradients(put, f);
  return put.add(std::move(w));
}

/// What an all-gather of a family's parameters moves, and in how many calls.
struct Gathers {
  double parameters = 0, bytes = 0, calls = 1;
};

// What an all-gather left in its buffer is copied to the parameters.
void copy_parameters(const Scenario& s, Inserter& put, const ShardFamily& f, StepPhase phase, const Gathers& gathers) {
  if (gathers.parameters * s.software.gathered_bytes <= 0) return;
  put.add_first(
      copy_of_unit("fsdp." + f.name + "copy-parameters", phase,
                   {gathers.parameters, s.software.gathered_bytes, copy_kernels(s, f.shards(s), gathers.calls)}));
}

void reduce_gradient(Inserter& put, const ShardFamily& f, const DataExchange& t, int copy) {
  if (!is_sent(t)) return;
  WorkOp w = communication(t);
  w.inputs = copy >= 0 ? Numbers{copy} : unread_gradients(put, f);
  put.add(std::move(w));
}

// Quantised weights travel as they are held.
double wire_bytes(const Scenario& s, const Block& block, bool frozen) {
  const double held = row_of(s.job.lora.base).bytes, wire = s.software.gather_bytes;
  return frozen && held > 0 && block.kind == BlockKind::layer ? std::min(held, wire) : wire;
}

// DeepSpeed fetches the parameters of one module after the other, and keeps small ones (zero/parameter_offload.py,
// zero/partition_parameters.py: param_persistence_threshold).
Gathers gathers_of(const Scenario& s, const Block& block, const ShardFamily& f) {
  const bool routed = f.part == &Parameters::routed, tied = ends_together(s);
  if (!s.software.gather_tensors) {
    const double all = block.held(tied).*f.part, trained = block.trained(tied).*f.part;
    return {.parameters = all,
            .bytes = trained * wire_bytes(s, block, false) + (all - trained) * wire_bytes(s, block, true)};
  }
  Gathers sum{.parameters = 0, .bytes = 0, .calls = 0};
  for (const Weight& w : block.weights) {
    const bool elsewhere = w.routed != routed || (w.tied && tied);
    if (elsewhere || w.parameters < static_cast<double>(s.software.persistence)) continue;
    sum.parameters += w.parameters;
    sum.bytes += w.parameters * wire_bytes(s, block, w.frozen);
    ++sum.calls;
  }
  return sum;
}

// Units of FSDP: every layer is one; embedding, head and final norm belong to the root, whose
// parameters are gathered once and stay until the backward pass has used them.
void shard_block(const Scenario& s, Block& block) {
  const bool tied = ends_together(s);
  const bool trains = s.job.phase == Phase::train;
  Inserter put(block);
  for (const ShardFamily& f : families(s)) {
    const Group shards = f.shards(s);
    const Gathers gathers = gathers_of(s, block, f);
    const int copy = trains ? copy_gradient(s, block, put, f, gathers.calls) : -1;
    const double gather = gathers.calls > 0 ? gathers.bytes / gathers.calls : 0;
    const auto gather_for = [&](StepPhase phase, const Label& name) {
      const DataExchange t{"fsdp." + f.name + name,
                           CollectiveKind::all_gather,
                           gather,
                           shards,
                           phase,
                           parameters_under(s, Hide::block),
                           Purpose::fsdp};
      if (!is_sent(t)) return;
      put.add_first(repeated(communication(t), gathers.calls));
      copy_parameters(s, put, f, phase, gathers);
    };
    gather_for(StepPhase::forward, "all-gather-forward");
    if (!trains) continue;
    if (block.is_layer() && s.parallelism.zero == 3) gather_for(StepPhase::backward, "all-gather-backward");
    reduce_gradient(put, f,
                    {"fsdp." + f.name + "reduce-scatter", CollectiveKind::reduce_scatter,
                     block.trained(tied).*f.part * s.software.reduce_bytes, shards, StepPhase::backward,
                     gradients_under(s, Hide::block), Purpose::fsdp},
                    copy);
  }
  put.finish();
}

void reduce_block(const Scenario& s, Block& block) {
  Inserter put(block);
  for (const ShardFamily& f : families(s))
    reduce_gradient(put, f,
                    {"data." + f.name + "reduce-scatter", CollectiveKind::reduce_scatter,
                     block.trained(ends_together(s)).*f.part * s.software.reduce_bytes, f.shards(s),
                     StepPhase::backward, gradients_under(s, Hide::block)},
                    -1);
  put.finish();
}

// After the update: one all-gather, or a broadcast from each owner in turn. With sharded parameters no rank holds all
// frozen ones either.
void gather_parameters(const Scenario& s, StageClass& c, const ShardFamily& f, const Group& shards) {
  const double bytes = (by_unit_sharding(s) ? c.held : c.trained).*f.part * s.software.gather_bytes;
  const Hide hide = parameters_under(s, Hide::first_forward);
  if (!s.software.gather_by_broadcast)
    return emit(c.step_ops, {"data." + f.name + "all-gather-parameters", CollectiveKind::all_gather, bytes, shards,
                             StepPhase::optimizer, hide});
  // Whole tensors are dealt to the ranks: no more owners than tensors.
  const double owners = std::min(static_cast<double>(shards.ranks), c.tensors);
  emit(c.step_ops, {"data." + f.name + "broadcast-parameters", CollectiveKind::broadcast, bytes / owners, shards,
                    StepPhase::optimizer, hide});
  if (shards.ranks > 1 && bytes > 0) c.step_ops.back().count = owners;
}

void all_reduce_once(const Scenario& s, Workload& w, const ShardFamily& f) {
  const Group data = f.data(s);
  for (StageClass& c : w.classes)
    emit_in_buckets(
        s, c.step_ops,
        {"data." + f.name + "all-reduce", CollectiveKind::all_reduce, c.trained.*f.part * s.software.reduce_bytes, data,
         StepPhase::backward, gradients_under(s, Hide::last_backward)});
}

// Units that stay gathered are reduced when their chunk's last backward pass is over: only other chunks hide it.
Hide hide_reduction(const Scenario& s) {
  const bool hidden = exchanges_units(s) || !by_unit_sharding(s) || s.parallelism.interleave > 1;
  return hidden ? gradients_under(s, Hide::last_backward) : Hide::nothing;
}

void reduce_shards(const Scenario& s, StageClass& c, const ShardFamily& f, const Group& shards, const Group& replicas) {
  const double reduce = c.trained.*f.part * s.software.reduce_bytes;
  const double shard = reduce / static_cast<double>(shards.ranks);
  const Hide hide = hide_reduction(s);
  if (!exchanges_units(s) && (by_unit_sharding(s) || !reduces_each_microbatch(s))) {
    const bool scatter = s.software.reduce_scatter;
    emit_in_buckets(s, c.step_ops,
                    {"data." + f.name + (scatter ? Label("reduce-scatter") : Label("all-reduce")),
                     scatter ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, reduce, shards,
                     StepPhase::backward, hide});
  }
  emit_in_buckets(
      s, c.step_ops,
      {"data." + f.name + "all-reduce-shards", CollectiveKind::all_reduce, shard, replicas, StepPhase::backward, hide});
}

void once_per_step(const Scenario& s, Workload& w, const ShardFamily& f) {
  if (s.parallelism.zero == 0) return all_reduce_once(s, w, f);
  const Group shards = f.shards(s), replicas = f.replicas(s);
  for (StageClass& c : w.classes) {
    reduce_shards(s, c, f, shards, replicas);
    if (!exchanges_units(s)) gather_parameters(s, c, f, shards);
  }
}

// Units that stay gathered in a pipeline are so without a backward pass too.
void gather_once(const Scenario& s, Workload& w) {
  if (!by_unit_sharding(s) || exchanges_units(s)) return;
  for (const ShardFamily& f : families(s))
    for (StageClass& c : w.classes) gather_parameters(s, c, f, f.shards(s));
}

// Both ends of the pipeline hold the tied embedding and sum its gradient; a prediction layer holds a copy too.
void tie_ends(const Scenario& s, const Workload& w, StageClass& c) {
  const Chunk held = c.total();
  if (ends_together(s) || (held.front() == 0 && held.back() == 0)) return;
  for (const Block& block : w.blocks)
    for (const Weight& weight : block.weights)
      if (weight.tied && !weight.frozen)
        emit(c.step_ops,
             {"embedding.all-reduce", CollectiveKind::all_reduce, weight.parameters * s.software.reduce_bytes,
              ends_group(s), StepPhase::backward, Hide::nothing, Purpose::pp});
}

}  // namespace

Hide gradients_under(const Scenario& s, Hide where) { return s.software.overlap.gradients ? where : Hide::nothing; }
Hide parameters_under(const Scenario& s, Hide where) { return s.software.overlap.parameters ? where : Hide::nothing; }

bool by_unit_sharding(const Scenario& s) {
  return s.parallelism.zero == 3 || (s.parallelism.zero == 2 && s.software.fsdp);
}

bool exchanges_units(const Scenario& s) {
  return by_unit_sharding(s) && (s.parallelism.pp == 1 || s.software.reshards_in_pipeline);
}

bool shards_gradients(const Scenario& s) {
  return s.parallelism.zero == 3 || (s.parallelism.zero == 2 && (s.software.fsdp || s.parallelism.pp == 1));
}

bool works_on_units(const Scenario& s) {
  return s.parallelism.servers == 0 && (exchanges_units(s) || reduces_units(s));
}

void apply_units(const Scenario& s, Workload& w) {
  for (Block& block : w.blocks) {
    if (exchanges_units(s)) shard_block(s, block);
    if (reduces_units(s)) reduce_block(s, block);
  }
}

void apply_data(const Scenario& s, Workload& w) {
  const bool trains = s.job.phase == Phase::train;
  if (s.parallelism.servers > 0) return trains ? exchange_with_servers(s, w) : void();
  if (!trains) return gather_once(s, w);
  for (const ShardFamily& f : families(s)) once_per_step(s, w, f);
  for (StageClass& c : w.classes) tie_ends(s, w, c);
}

}  // namespace planner
