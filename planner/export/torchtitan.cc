// torchtitan: keys by the names of the last release that reads TOML (torchtitan/config/job_config.py at 238fa995). The
// newest, which Python configures, has rows of its own where it differs; torchtitan_text.cc writes it. A model is one
// of its flavors, whose shape is in its code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/export/table.h"
#include "planner/import/torchtitan_flavors.h"
#include "planner/import/torchtitan_table.h"
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
  const std::string name = schedule_name(w.s);
  if (!has_pipeline(w.s)) return w.refuse_at(schedule_field(w.s), "a stage alone has no schedule");
  for (const ExportWord& word : torchtitan::kTitanSchedules)
    if (name == word.ours) return w.put_word("parallelism.pipeline_parallel_schedule", word.theirs);
  w.refuse_at(schedule_field(w.s), "PyTorch has no such schedule",
              "1f1b, gpipe, zb-v, dualpipe-v, or interleave: 2 and more");
}

/// The modules of each part: embedding and head are at the ends.
void stages(Writer& w) {
  const std::vector<int64_t> layers = layers_per_part(w.s);
  std::vector<std::string> parts;
  int64_t layer = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    std::vector<std::string> names;
    if (i == 0) names.emplace_back("\"tok_embeddings\"");
    for (int64_t n = 0; n < layers[i]; ++n) names.push_back(fmt::format("\"layers.{}\"", layer++));
    if (i + 1 == layers.size()) names.emplace_back("\"norm\", \"output\"");
    if (names.empty()) return w.refuse("a part without layers holds nothing");
    parts.push_back(fmt::format("[{}]", fmt::join(names, ", ")));
  }
  w.put("parallelism.module_fqns_per_model_part", fmt::format("[{}]", fmt::join(parts, ", ")));
}

/// A pipeline splits the local batch; without one it is a microbatch, accumulated up to the global batch.
void microbatch(Writer& w) {
  const int64_t local = w.s.job.global_batch / w.s.parallelism.dp;
  w.put("training.local_batch_size", has_pipeline(w.s) ? local : w.s.parallelism.microbatch);
  if (has_pipeline(w.s)) w.put("parallelism.pipeline_parallel_microbatch_size", w.value());
}

/// Tokens of a microbatch, and microbatches of a rank: what the newest counts.
void tokens(Writer& w) {
  const int64_t local = w.s.job.global_batch / w.s.parallelism.dp, microbatch = w.s.parallelism.microbatch;
  w.put("training.num_tokens_per_microbatch_per_dp_rank", microbatch * w.s.job.sequence);
  if (has_pipeline(w.s)) w.put("parallelism.num_pp_microbatches", local / microbatch);
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
  w.put("--nproc_per_node", gpus_per_node(w.s));
  w.put("--nnodes", nodes(w.s));
  const Parallelism& p = w.s.parallelism;
  const int64_t group = shards(w.s) ? p.zero_group : p.cp;  // without shards cp is 1
  if (group % p.cp != 0) return w.refuse_at("parallelism.zero_group", "the group holds all ranks of a sequence");
  w.put("parallelism.data_parallel_replicate_degree", p.dp * p.cp / group);
  w.put("parallelism.data_parallel_shard_degree", group / p.cp);
}

/// Parameters, gradients and states together, or none of them.
void offload(Writer& w) {
  const Offload& o = w.s.parallelism.offload;
  if (o.optimizer == 0 && o.weights == 0) return;
  if (o.optimizer != 1 || o.weights != 1) return w.refuse("FSDP offloads weights and states whole, or neither");
  if (w.field().ends_with("optimizer")) w.put("training.enable_cpu_offload", "true");
}

const char* mixed_type(const Writer& w) { return w.s.job.precision == Precision::fp32 ? "float32" : "bfloat16"; }

void precision(Writer& w) {
  const Precision p = w.s.job.precision;
  if (p == Precision::fp16 || p == Precision::tf32 || p == Precision::nvfp4)
    return w.refuse("it has bf16, fp32, fp8 and mxfp8");
  const Parallelism& d = w.s.parallelism;  // maybe_enable_amp in torchtitan/distributed/utils.py
  const bool mixes = d.zero > 0 || d.cp > 1 || (d.tp == 1 && d.pp == 1);
  if (!mixes && p != Precision::fp32)
    return w.refuse("without FSDP it mixes no types beside tensor or pipeline ranks", "parallelism.zero: 3");
  if (!mixes) return;
  w.put_word("training.mixed_precision_param", mixed_type(w));
  if (p == Precision::fp8) w.put("model.converters", "[\"quantize.linear.float8\"]");
  if (p != Precision::mxfp8) return;
  w.put("model.converters", "[\"quantize.linear.mx\"]");
  w.put_word("quantize.linear.mx.recipe_name", "mxfp8_cublas");
}

/// Of the newest, whose FSDP mixes types around a rank alone, too: a converter of the model, in Python.
void newest_precision(Writer& w) {
  constexpr ExportWord kConverters[] = {{"bf16", ""},
                                        {"fp32", ""},
                                        {"fp8", "Float8LinearConverter"},
                                        {"mxfp8", "MXFP8LinearConverter"},
                                        {"nvfp4", "NVFP4LinearConverter"}};
  const std::string converter = word_of(w, kConverters);
  w.put_word("training.mixed_precision_param", mixed_type(w));
  if (!converter.empty()) w.put_word("model.converters", converter);
}

void overlap_tensor(Writer& w) {
  if (w.s.software.overlap.tensor && !w.s.software.fusion.norm)
    return w.refuse("a model that is not compiled overlaps nothing", "software: {use: torchtitan-asynctp}");
  w.put("parallelism.enable_async_tensor_parallel", w.value());
}

void scaling(Writer& w) {
  if (w.value() != "current") return w.refuse("torchao scales by the tensor itself", "software.scaling: current");
  w.put_word("quantize.linear.float8.recipe_name", "tensorwise");
}

constexpr const char* kTomlHint = "--to torchtitan-toml";

/// Rows of the newest alone: they come before the others.
constexpr ExportRow kNewestRows[] = {
    {.field = "parallelism.microbatch", .rule = tokens},
    {.field = "job.global_batch",
     .rule = [](Writer& w) { w.put("training.num_tokens_per_train_step", w.s.job.global_batch * w.s.job.sequence); }},
    {.field = "job.precision", .rule = newest_precision},
    // Scales of rows, which a plan counts as those of the tensor.
    {.field = "software.scaling",
     .rule =
         [](Writer& w) {
           if (w.value() != "current") w.refuse("torchao scales by the tensor itself", "software.scaling: current");
         }},
    {.field = "software.gather_bytes", .only = "2", .when = needs_scales, .hint = kTomlHint},
    // Graphs of the whole step are its default (torchtitan/trainer.py).
    {.field = "software.graphs",
     .rule =
         [](Writer& w) {
           if (w.s.software.graphs == Graphs::none) w.put("training.disable_cuda_graphs", "true");
           else if (w.s.software.graphs != Graphs::step || has_pipeline(w.s) || w.s.parallelism.ep > 1)
             w.refuse("it has graphs of the whole step, without a pipeline or experts on several ranks",
                      "software.graphs: none");
         }},
    {.field = "software.context", .only = "", .hint = kTomlHint},
    {.field = "software.selective", .only = "every-second-matmul", .hint = kTomlHint},
    {.field = "parallelism.etp", .only = "1", .hint = kTomlHint}};

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
    {.field = "parallelism.sequence_parallel",
     .only = "true",
     .hint = "its tensor parallelism always splits the sequence"},
    {.field = "software.overlap.tensor", .rule = overlap_tensor},
    {.field = "software.context",
     .rule =
         [](Writer& w) {
           if (w.value() == "ring") w.put_word("parallelism.context_parallel_rotate_method", "alltoall");
           else w.refuse("its ranks pass keys and values on, heads stay");
         }},
    {.field = "parallelism.schedule", .rule = schedule},
    {.field = "parallelism.stages", .rule = stages},
    {.field = "parallelism.interleave", .with = "parallelism.stages"},
    {.field = "parallelism.servers", .hint = "gradients are summed by collectives"},
    {.field = "parallelism.recompute", .name = "activation_checkpoint.mode"},
    {.field = "parallelism.recompute_every", .only = "1"},
    {.field = "parallelism.recompute_layers", .only = "0"},
    {.field = "software.selective",
     .name = "activation_checkpoint.selective_ac_option",
     .words = torchtitan::kTitanOptions},
    {.field = "parallelism.offload.optimizer", .rule = offload},
    {.field = "parallelism.offload.weights", .rule = offload},

    {.field = "software.fusion.norm", .name = "compile.enable"},
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
       if (w.value() == "1") w.put("quantize.linear.float8.enable_fsdp_float8_all_gather", "true");
       else if (w.value() != "2") w.refuse("parameters have 1 or 2 bytes");
     }}};

}  // namespace

std::span<const ExportRow> torchtitan_toml_rows() {
  static const std::vector<ExportRow> kAll = with_flags(kRows, torchtitan::key_table().fields);
  return kAll;
}

std::span<const ExportRow> torchtitan_rows() {
  static const std::vector<ExportRow> kAll = with_flags(joined({kNewestRows, kRows}), torchtitan::key_table().fields);
  return kAll;
}

}  // namespace planner::exporting
