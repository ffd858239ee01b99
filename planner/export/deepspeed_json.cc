// DeepSpeed's JSON as far as both its targets write the same: Megatron-DeepSpeed and accelerate.
#include "planner/export/table.h"

namespace planner::exporting {

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

}  // namespace planner::exporting
