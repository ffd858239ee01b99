// FSDP 2 under transformers' Trainer: accelerate's own file, and its launch of run_clm.py (accelerate
// utils/dataclasses.py, parallelism_config.py; transformers training_args.py). What DeepSpeed under accelerate has in
// the same way is a row of accelerate_rows().
#include <fmt/format.h>

#include "planner/export/table.h"
#include "planner/import/deepspeed_config.h"

namespace planner::exporting {
namespace {

void launch(Writer& w) {
  if (!fills_nodes(w)) return;
  w.put_word("compute_environment", "LOCAL_MACHINE");
  w.put_word("distributed_type", "FSDP");
  w.put("num_machines", nodes(w.s));
  w.put("num_processes", w.s.cluster.gpus);
  w.put("fsdp_config.fsdp_version", 2);
  w.put_word("fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
}

void zero(Writer& w) {
  const int64_t stage = w.s.parallelism.zero;
  if (stage < 2) return w.refuse("FSDP 2 shards parameters", "parallelism.zero: 2 or 3, or software: {use: deepspeed}");
  w.put("fsdp_config.fsdp_reshard_after_forward", stage == 3 ? "true" : "false");
}

/// A group that is smaller than all ranks: whole copies of it (HSDP).
void replicas(Writer& w) {
  const Parallelism& p = w.s.parallelism;
  if (p.zero_group == 0 || p.zero_group == p.dp) return;
  if (p.dp % p.zero_group != 0)
    return w.refuse("copies of a shard group are whole", "parallelism.zero_group: a divisor of dp");
  w.put("parallelism_config.parallelism_config_dp_replicate_size", p.dp / p.zero_group);
  w.put("parallelism_config.parallelism_config_dp_shard_size", p.zero_group);
}

/// One switch moves weights and states.
void offload(Writer& w) {
  const Offload& o = w.s.parallelism.offload;
  const bool all = o.optimizer == 1 && (o.weights == 1 || w.s.parallelism.zero == 2);
  if (o.optimizer == 0 && o.weights == 0) return;
  if (!all)
    return w.refuse("FSDP moves weights and states together", "parallelism.offload: {optimizer: 1, weights: 1}");
  if (w.field().ends_with("optimizer")) w.put("fsdp_config.fsdp_offload_params", "true");
}

void recompute(Writer& w) {
  if (recomputes_part(w.s)) return w.refuse("its checkpointing covers whole layers", "recompute: full");
  w.put("fsdp_config.fsdp_activation_checkpointing", "true");
}

void microbatch(Writer& w) {
  const Parallelism& p = w.s.parallelism;
  w.put("--per_device_train_batch_size", p.microbatch);
  w.put("--gradient_accumulation_steps", w.s.job.global_batch / (p.microbatch * p.dp));
}

void precision(Writer& w) {
  const Precision p = w.s.job.precision;
  if (p != Precision::fp32 && p != Precision::fp16 && p != Precision::bf16)
    return w.refuse("it has fp32, fp16 and bf16");
  w.put_word("mixed_precision", p == Precision::fp32 ? "no" : w.value());
}

void optimizer(Writer& w) { put_word_of(w, "--optim", std::span(deepspeed::kOptims).first(deepspeed::kWrittenOptims)); }

constexpr const char* kEager = "software: {use: transformers}, which is FSDP 2 as it runs eagerly";

constexpr ExportRow kRows[] = {
    {.field = "parallelism.dp", .rule = launch},
    {.field = "parallelism.zero", .rule = zero},
    {.field = "parallelism.zero_group", .rule = replicas},
    {.field = "parallelism.offload.optimizer", .rule = offload},
    {.field = "parallelism.offload.weights", .rule = offload},
    {.field = "parallelism.recompute", .when = recomputes, .rule = recompute},
    {.field = "parallelism.microbatch", .rule = microbatch},
    {.field = "job.global_batch", .with = "parallelism.microbatch"},
    {.field = "job.precision", .rule = precision},
    {.field = "job.optimizer", .rule = optimizer},
    {.field = "software.fsdp", .only = "true", .hint = kEager},
    {.field = "software.overlap.gradients", .only = "true"},
    {.field = "software.overlap.parameters", .only = "true"},
    {.field = "software.reduce_scatter", .only = "true"},
    {.field = "software.gather_bytes", .hint = kEager},
    {.field = "software.bucket_bytes", .only = "0 B", .hint = "its units are reduced one by one"},
    {.field = "software.persistence", .with = "software.fsdp"},
    {.field = "software.reduce_each_microbatch", .only = "false", .hint = kEager},
    {.field = "software.reduce_bytes", .with = "job.precision"}};

}  // namespace

bool runs_fsdp(const Scenario& s) { return s.software.fsdp; }

std::span<const ExportRow> accelerate_fsdp_rows() {
  static const std::vector<ExportRow> kAll = joined({kRows, accelerate_rows()});
  return kAll;
}

std::string accelerate_fsdp_text(const std::vector<Setting>& settings) {
  return "cat > accelerate.yaml <<'EOF'\n" + render_yaml(settings) + "EOF\n" +
         render_flags("accelerate launch --config_file accelerate.yaml run_clm.py", settings);
}

}  // namespace planner::exporting
