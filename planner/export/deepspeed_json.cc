// DeepSpeed's JSON as far as both its targets write the same: Megatron-DeepSpeed and accelerate.
#include "planner/export/table.h"
#include "planner/import/deepspeed_config.h"

namespace planner::exporting {
namespace {

/// Smaller groups of stage 3 (MiCS).
void put_mics(Writer& w) {
  const Parallelism& p = w.s.parallelism;
  if (p.zero_group == data_ranks(p)) return;
  if (p.zero != 3) return w.refuse("stages 1 and 2 shard over all data-parallel ranks");
  w.put("zero_optimization.mics_shard_size", w.value());
}

// DeepSpeed counts parameters (deepspeed/runtime/zero/config.py).
void put_buckets(Writer& w) { put_bucket(w, "zero_optimization.reduce_bucket_size"); }

void put_weights_offload(Writer& w) {
  const double share = w.s.parallelism.offload.weights;
  if (share == 0) return;
  if (share != 1 || w.s.parallelism.zero != 3) return w.refuse("all weights, with zero 3, or none");
  w.put_word("zero_optimization.offload_param.device", "cpu");
}

void put_communication_type(Writer& w) {
  const double bytes = w.s.software.reduce_bytes;
  if (bytes != 2 && bytes != 4) return w.refuse("gradients have 2 or 4 bytes");
  const bool half = w.s.job.precision == Precision::fp16;
  w.put_word("communication_data_type", bytes == 4 ? "fp32" : half ? "fp16" : "bf16");
}

void offload_optimizer(Writer& w) { put_states_offload(w); }

constexpr ExportRow kRows[] = {
    {.field = "parallelism.zero_group", .rule = put_mics},
    {.field = "parallelism.expert_zero_group", .rule = keep_expert_shards},
    {.field = "parallelism.offload.optimizer", .when = offloads_optimizer, .rule = offload_optimizer},
    {.field = "parallelism.offload.weights", .rule = put_weights_offload},
    {.field = "parallelism.servers", .hint = "gradients are summed by collectives"},
    {.field = "job.document", .rule = refuse_packing},
    {.field = "software.overlap.gradients", .when = shards},
    {.field = "software.reduce_scatter", .when = shards},
    {.field = "software.bucket_bytes", .when = shards, .rule = put_buckets},
    {.field = "software.persistence", .when = gathers_tensors},
    {.field = "software.gather_bytes", .when = shards_weights},
    {.field = "software.reduce_bytes", .rule = put_communication_type}};

}  // namespace

bool put_states_offload(Writer& w) {
  const double share = w.s.parallelism.offload.optimizer;
  const bool sharded = shards(w.s), divided = share < 1;
  if (!sharded) w.refuse("states go to the host with ZeRO", "parallelism.zero: 1, 2 or 3");
  else if (divided && !shards_weights(w.s)) w.refuse("a share of the states needs zero 3");
  if (!sharded || (divided && !shards_weights(w.s))) return false;
  w.put_word("zero_optimization.offload_optimizer.device", "cpu");
  if (divided) w.put("zero_optimization.offload_optimizer.ratio", w.value());
  return true;
}

std::span<const ExportRow> deepspeed_json_rows() {
  static const std::vector<ExportRow> kAll = with_flags(kRows, deepspeed::key_table().fields);
  return kAll;
}

}  // namespace planner::exporting
