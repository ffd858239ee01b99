// torchtitan: the TOML of torchtitan/config/job_config.py. A model is one of its flavors, whose shape is in its code.
#include "planner/export/table.h"
#include "planner/import/torchtitan_flavors.h"
#include "planner/workload/partition.h"

namespace planner::exporting {
namespace {

void flavor(Writer& w) {
  if (is_own_value(w)) return w.refuse("a name of its own says no flavor", "model: {use: NAME}");
  for (const TorchtitanFlavor& row : torchtitan_flavors()) {
    if (w.s.model.name != row.ours) continue;
    w.put_word("model.name", row.name);
    return w.put_word("model.flavor", row.flavor);
  }
  std::string known;
  for (const TorchtitanFlavor& row : torchtitan_flavors())
    known += (known.empty() ? "its flavors are " : ", ") + std::string(row.ours);
  w.refuse("a model is a flavor of its code", known + "; any model of the hub: --to accelerate or megatron-bridge");
}

/// A catalogue model that the scenario changes is no longer its flavor.
void shape(Writer& w) {
  if (is_own_value(w)) w.refuse("the flavor fixes it");
}

void schedule(Writer& w) {
  constexpr ExportWord kSchedules[] = {{"1f1b", "1F1B"},
                                       {"interleaved", "Interleaved1F1B"},
                                       {"gpipe", "GPipe"},
                                       {"zb-v", "ZBVZeroBubble"},
                                       {"dualpipe-v", "DualPipeV"}};
  const std::string name = schedule_name(w.s);
  if (!has_pipeline(w.s)) return w.refuse_at(schedule_field(w.s), "a stage alone has no schedule");
  for (const ExportWord& word : kSchedules)
    if (name == word.ours) return w.put_word("parallelism.pipeline_parallel_schedule", word.theirs);
  w.refuse_at(schedule_field(w.s), "PyTorch has no such schedule",
              "1f1b, gpipe, zb-v, dualpipe-v, or interleave: 2 and more");
}

/// The first layer of each part but the first.
void stages(Writer& w) {
  const std::vector<int64_t> parts = layers_per_part(w.s);
  std::string points;
  int64_t layer = 0;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    layer += parts[i];
    if (parts[i + 1] == 0) return w.refuse("a part without layers has no beginning");
    points += (i > 0 ? ", \"layers." : "[\"layers.") + std::to_string(layer) + "\"";
  }
  w.put("parallelism.pipeline_parallel_split_points", points + "]");
}

/// A pipeline splits the local batch; without one it is a microbatch, accumulated up to the global batch.
void microbatch(Writer& w) {
  const int64_t local = w.s.job.global_batch / w.s.parallelism.dp;
  w.put("training.local_batch_size", has_pipeline(w.s) ? local : w.s.parallelism.microbatch);
  if (has_pipeline(w.s)) w.put("parallelism.pipeline_parallel_microbatch_size", w.value());
}

void zero(Writer& w) {
  if (!shards(w.s) && splits_context(w.s))
    return w.refuse("ranks of a sequence share its parameters (parallel_dims.py: fsdp_enabled)", "zero 2 or 3");
  if (w.s.parallelism.zero == 1) return w.refuse("it shards gradients with the states", "zero 2 or 3");
  if (!shards(w.s)) return;
  if (w.s.parallelism.zero_group == 1)
    return w.refuse("a rank alone has no shards (parallel_dims.py: fsdp_enabled)", "zero 0");
  // Its default frees parameters but beside a pipeline.
  const bool always = has_pipeline(w.s) && w.s.software.reshards_in_pipeline;
  w.put_word("parallelism.fsdp_reshard_after_forward", w.s.parallelism.zero == 2 ? "never"
                                                       : always                  ? "always"
                                                                                 : "default");
}

/// Shards lie among dp_shard x cp ranks.
void data_ranks_of(Writer& w) {
  if (!fills_nodes(w)) return;
  const Parallelism& p = w.s.parallelism;
  const int64_t group = shards(w.s) ? p.zero_group : p.cp;  // without shards cp is 1
  if (group % p.cp != 0) return w.refuse_at("parallelism.zero_group", "the group holds all ranks of a sequence");
  w.put("parallelism.data_parallel_replicate_degree", p.dp * p.cp / group);
  w.put("parallelism.data_parallel_shard_degree", group / p.cp);
}

void recompute(Writer& w) { w.put_word("activation_checkpoint.mode", w.value()); }

void selective(Writer& w) {
  constexpr ExportWord kOptions[] = {{"every-second-layer", "2"}, {"every-second-matmul", "op"}};
  put_word_of(w, "activation_checkpoint.selective_ac_option", kOptions);
}

/// Parameters, gradients and states together, or none of them.
void offload(Writer& w) {
  const Offload& o = w.s.parallelism.offload;
  if (o.optimizer == 0 && o.weights == 0) return;
  if (o.optimizer != 1 || o.weights != 1) return w.refuse("FSDP offloads weights and states whole, or neither");
  if (w.field().ends_with("optimizer")) w.put("training.enable_cpu_offload", "true");
}

void precision(Writer& w) {
  const Precision p = w.s.job.precision;
  if (p == Precision::fp16 || p == Precision::tf32 || p == Precision::nvfp4)
    return w.refuse("it has bf16, fp32, fp8 and mxfp8");
  const Parallelism& d = w.s.parallelism;  // maybe_enable_amp in torchtitan/distributed/utils.py
  const bool mixes = d.zero > 0 || d.cp > 1 || (d.tp == 1 && d.pp == 1);
  if (!mixes && p == Precision::fp32) return;
  if (!mixes) return w.refuse("without FSDP it mixes no types beside tensor or pipeline ranks", "parallelism.zero: 3");
  w.put_word("training.mixed_precision_param", p == Precision::fp32 ? "float32" : "bfloat16");
  if (p == Precision::fp8) w.put("model.converters", "[\"float8\"]");
  if (p != Precision::mxfp8) return;
  w.put("model.converters", "[\"mx\"]");
  w.put_word("mx.recipe_name", "mxfp8");
}

void overlap_tensor(Writer& w) {
  if (w.s.software.overlap.tensor && !w.s.software.fusion.norm)
    return w.refuse("a model that is not compiled overlaps nothing", "software: {use: torchtitan-asynctp}");
  w.put("parallelism.enable_async_tensor_parallel", w.value());
}

void scaling(Writer& w) {
  if (w.value() != "current") return w.refuse("torchao scales by the tensor itself", "software.scaling: current");
  w.put_word("float8.recipe_name", "tensorwise");
}

constexpr ExportRow kRows[] = {
    {.field = "model.name", .rule = flavor},
    {.field = "model.operators*", .rule = refuse_operators},
    {.field = "model.pattern", .rule = refuse_pattern},
    {.field = "model.*", .rule = shape, .always = true},
    {.field = "job.optimizer",
     .rule =
         [](Writer& w) {
           if (w.value() == "adam") w.put_word("optimizer.name", "AdamW");
           else w.refuse("it has adam alone");
         }},
    {.field = "job.sequence", .name = "training.seq_len"},
    {.field = "parallelism.microbatch", .rule = microbatch},
    {.field = "job.global_batch", .name = "training.global_batch_size"},
    {.field = "job.tokens", .rule = [](Writer& w) { w.put("training.steps", steps(w.s)); }},
    {.field = "job.document", .rule = refuse_packing},
    {.field = "job.precision", .rule = precision},
    {.field = "software.scaling", .rule = scaling},
    {.field = "parallelism.dp", .rule = data_ranks_of},
    {.field = "parallelism.expert_zero_group", .rule = keep_expert_shards},
    {.field = "parallelism.zero_group", .with = "parallelism.dp"},
    {.field = "parallelism.zero", .rule = zero},
    {.field = "software.fsdp", .hint = "software: {use: torchtitan}"},
    {.field = "parallelism.tp", .name = "parallelism.tensor_parallel_degree"},
    {.field = "parallelism.sequence_parallel",
     .only = "true",
     .hint = "its tensor parallelism always splits the sequence"},
    {.field = "software.overlap.tensor", .rule = overlap_tensor},
    {.field = "parallelism.cp", .name = "parallelism.context_parallel_degree"},
    {.field = "software.context",
     .rule =
         [](Writer& w) {
           if (w.value() == "ring") w.put_word("parallelism.context_parallel_rotate_method", "alltoall");
           else w.refuse("its ranks pass keys and values on, heads stay");
         }},
    {.field = "parallelism.ep", .name = "parallelism.expert_parallel_degree"},
    {.field = "parallelism.pp", .name = "parallelism.pipeline_parallel_degree"},
    {.field = "parallelism.schedule", .rule = schedule},
    {.field = "parallelism.stages", .rule = stages},
    {.field = "parallelism.interleave", .with = "parallelism.stages"},
    {.field = "parallelism.servers", .hint = "gradients are summed by collectives"},
    {.field = "parallelism.recompute", .rule = recompute},
    {.field = "parallelism.recompute_every", .only = "1"},
    {.field = "parallelism.recompute_layers", .only = "0"},
    {.field = "software.selective", .rule = selective},
    {.field = "parallelism.offload.optimizer", .rule = offload},
    {.field = "parallelism.offload.weights", .rule = offload},

    {.field = "software.fusion.norm", .name = "training.compile"},
    {.field = "software.fusion.rope",
     .rule =
         [](Writer& w) {
           if (w.s.software.fusion.rope != w.s.software.fusion.norm)
             w.refuse("compiling fuses norms and rope, or neither");
         }},
    {.field = "software.attention", .hint = "scaled_dot_product_attention takes flash attention 2"},
    {.field = "software.overlap.gradients", .only = "true", .when = shards},
    {.field = "software.overlap.parameters", .only = "true", .when = shards},
    {.field = "software.overlap.pipeline", .only = "true", .when = has_pipeline},
    {.field = "software.reduce_scatter", .only = "true", .when = shards},
    {.field = "software.bucket_bytes", .hint = "its units are reduced one by one"},
    {.field = "software.reduce_each_microbatch", .only = "true", .when = shards},
    {.field = "software.gather_bytes", .when = needs_scales, .rule = [](Writer& w) {
       if (w.value() == "1") w.put("float8.enable_fsdp_float8_all_gather", "true");
       else if (w.value() != "2") w.refuse("parameters have 1 or 2 bytes");
     }}};

}  // namespace

std::span<const ExportRow> torchtitan_rows() { return kRows; }

}  // namespace planner::exporting
