// NeMo: overrides of megatron_gpt_config.yaml, as in NeMo-Framework-Launcher's launcher_scripts/conf/training. Other
// settings are fields of Megatron-Core's TransformerConfig; NeMo reads those from the section model as well.
#include "planner/export/core_rules.h"
#include "planner/export/table.h"
#include "planner/workload/partition.h"

namespace planner::exporting {
namespace {

void launch(Writer& w) {
  if (!fills_nodes(w)) return;
  w.put("trainer.num_nodes", nodes(w.s));
  w.put("trainer.devices", gpus_per_node(w.s));
}

void stages(Writer& w) {
  if (!is_even(w.s)) w.refuse("its stages hold as many layers each", "choose pp and interleave that divide the layers");
}

void zero(Writer& w) {
  const int64_t stage = w.s.parallelism.zero;
  const bool adam = w.s.job.optimizer == Optimizer::adam;
  if (stage == 1)
    return adam ? w.put_word("model.optim.name", "distributed_fused_adam")
                : w.refuse("its distributed optimizer is Adam");
  w.put_word("model.optim.name", adam ? "fused_adam" : "sgd");
  if (stage == 0) return;
  w.put("model.fsdp", "true");
  w.put_word("model.fsdp_sharding_strategy", stage == 2 ? "grad" : "full");
}

void zero_group(Writer& w) {
  const Parallelism& p = w.s.parallelism;
  if (p.zero_group != data_ranks(p)) w.refuse("it shards over all data-parallel ranks");
}

void recompute(Writer& w) {
  w.put_word("model.activations_checkpoint_granularity", w.value());
  if (recomputes_part(w.s)) return;
  put_recomputed_layers(w, "model.activations_checkpoint_method", "model.activations_checkpoint_num_layers");
}

void sequence(Writer& w) {
  w.put("model.encoder_seq_length", w.value());
  w.put("model.data.seq_length", w.value());
}

void precision(Writer& w) {
  const Precision p = w.s.job.precision;
  if (p == Precision::tf32 || p > Precision::fp8) return w.refuse("it has fp32, fp16, bf16 and fp8");
  w.put("trainer.precision", p == Precision::fp32 ? "32" : p == Precision::fp16 ? "16" : "bf16");
  w.put("model.megatron_amp_O2", p == Precision::fp32 ? "false" : "true");
  if (p != Precision::fp8) return;
  w.put("model.fp8", "true");
  w.put("model.fp8_hybrid", "true");
}

void adapters(Writer& w) {
  w.put_word("model.peft.peft_scheme", "lora");
  w.put("model.peft.lora_tuning.adapter_dim", w.value());
}

void adapted_layers(Writer& w) {
  constexpr ExportWord kModules[] = {{"qkv", "[attention_qkv]"},
                                     {"attention", "[attention_qkv, attention_dense]"},
                                     {"mlp", "[mlp_fc1, mlp_fc2]"},
                                     {"all", "[all]"}};
  if (const std::string modules = word_of(w, kModules); !modules.empty())
    w.put("model.peft.lora_tuning.target_modules", modules);
}

void positions(Writer& w) {
  const Model& m = w.s.model;
  if (m.rotary && m.positions > 0) return w.refuse("learned and rotary positions exclude each other");
  w.put_word("model.position_embedding_type", m.rotary ? "rope" : m.positions > 0 ? "learned_absolute" : "none");
  w.put("model.max_position_embeddings", m.positions > 0 ? m.positions : w.s.job.sequence);
}

void activation(Writer& w) {
  constexpr ExportWord kGated[] = {{"silu", "fast-swiglu"}, {"gelu", "geglu"}, {"relu", "reglu"}};
  constexpr ExportWord kPlain[] = {{"gelu", "gelu"}, {"squared-relu", "squared-relu"}};
  if (w.s.model.gated_mlp) put_word_of(w, "model.activation", kGated);
  else put_word_of(w, "model.activation", kPlain);
}

void attention(Writer& w) {
  w.put("model.transformer_engine", "true");
  if (w.value() == "te") return;
  if (w.value() != "flash2") return w.refuse("Transformer Engine picks the kernel", "te or flash2");
  w.put("model.use_flash_attention", "true");
}

/// Without shards gradients travel as they are accumulated, those of bf16 jobs in fp32
/// (nemo/collections/nlp/models/language_modeling/megatron_base_model.py: fp32_grad_accum).
void reduce_bytes(Writer& w) {
  const double bytes = w.s.software.reduce_bytes;
  const bool half = w.s.job.precision == Precision::fp16;
  if (bytes != 2 && bytes != 4) return w.refuse("gradients have 2 or 4 bytes");
  if (!shards(w.s))
    return bytes == (half ? 2 : 4) ? void() : w.refuse("without shards they have 2 bytes with fp16, else 4", "zero: 1");
  if (!shards_once(w.s)) return w.put("model.fsdp_grad_reduce_dtype", bytes == 4 ? "32" : half ? "16" : "bf16");
  w.put_word("model.optim.grad_sync_dtype", bytes == 4 ? "fp32" : half ? "fp16" : "bf16");
}

constexpr ExportRow kRows[] = {
    {.field = "parallelism.dp", .rule = launch},
    {.field = "job.precision", .rule = precision},
    {.field = "job.tokens", .rule = [](Writer& w) { w.put("trainer.max_steps", steps(w.s)); }},
    {.field = "parallelism.microbatch", .name = "model.micro_batch_size"},
    {.field = "job.global_batch", .name = "model.global_batch_size"},
    {.field = "job.sequence", .rule = sequence},
    {.field = "job.lora.rank", .rule = adapters},
    {.field = "job.lora.targets", .rule = adapted_layers},
    {.field = "job.lora.base", .only = "none"},
    {.field = "parallelism.stages", .rule = stages},
    {.field = "parallelism.order", .rule = [](Writer& w) { put_mapping(w, "model.use_tp_pp_dp_mapping"); }},
    {.field = "parallelism.zero", .rule = zero},
    {.field = "job.optimizer",
     .rule =
         [](Writer& w) {
           const Optimizer optimizer = w.s.job.optimizer;
           if (optimizer != Optimizer::adam && optimizer != Optimizer::sgd) w.refuse("it has adam and sgd");
         }},
    {.field = "parallelism.zero_group", .rule = zero_group},
    {.field = "software.reduce_bytes", .rule = reduce_bytes},
    {.field = "software.overlap.gradients", .name = "model.optim.overlap_grad_sync", .when = shards_once},
    {.field = "software.overlap.parameters", .name = "model.optim.overlap_param_sync", .when = shards_once},
    {.field = "parallelism.recompute", .when = recomputes, .rule = recompute},
    {.field = "model.vocab", .name = "model.override_vocab_size"},
    {.field = "model.positions", .rule = positions},
    {.field = "model.activation", .rule = activation},
    {.field = "model.bias", .name = "model.bias"},
    {.field = "model.norm", .name = "model.normalization"},
    {.field = "software.attention", .rule = attention},
    {.field = "software.fusion.bias_dropout_add", .name = "model.bias_dropout_add_fusion"},
    {.field = "software.overlap.tensor", .name = "model.ub_tp_comm_overlap"},
    {.field = "software.overlap.pipeline", .name = "model.overlap_p2p_comm"},
    {.field = "software.bucket_bytes", .hint = "its buckets follow from the layers"}};

}  // namespace

std::span<const ExportRow> nemo_rows() {
  static const std::vector<ExportRow> kAll = joined({kRows, core_layout_rows("model"), core_rows(), core_shape_rows()});
  return kAll;
}

}  // namespace planner::exporting
