// NeMo 2: a Python script over Megatron-Core: llm.GPTConfig (nemo/collections/llm/gpt/model/base.py), which is a
// TransformerConfig, nl.MegatronStrategy (nemo/lightning/pytorch/strategies/megatron_strategy.py) and
// nl.MegatronMixedPrecision (nemo/lightning/pytorch/plugins/mixed_precision.py).
#include "planner/export/core_rules.h"
#include "planner/export/stage_list.h"
#include "planner/export/table.h"

namespace planner::exporting {
namespace {

constexpr const char* kBridge = "--to megatron-bridge";

void launch(Writer& w) {
  if (!fills_nodes(w)) return;
  w.put("trainer.num_nodes", nodes(w.s));
  w.put("trainer.devices", gpus_per_node(w.s));
}

void sequence(Writer& w) {
  w.put("model.seq_length", w.value());
  w.put("data.seq_length", w.value());
}

void precision(Writer& w) {
  const Precision p = w.s.job.precision;
  if (p == Precision::tf32 || p > Precision::mxfp8) return w.refuse("it has fp32, fp16, bf16, fp8 and mxfp8");
  const bool full = p == Precision::fp32, half = p == Precision::fp16;
  const char* type = full ? "torch.float32" : half ? "torch.float16" : "torch.bfloat16";
  w.put_word("precision.precision", full ? "32" : half ? "16-mixed" : "bf16-mixed");
  w.put("precision.params_dtype", type);
  w.put("precision.pipeline_dtype", type);
  if (p == Precision::fp8) w.put_word("precision.fp8", "hybrid");
  if (p != Precision::mxfp8) return;
  w.put_word("precision.fp8", "e4m3");
  w.put_word("precision.fp8_recipe", "mxfp8");
}

void scaling(Writer& w) {
  if (w.value() == "block") return w.refuse("its recipes are delayed, tensorwise and mxfp8", kBridge);
  put_scaling(w, "precision.fp8_recipe");
}

void gather_bytes(Writer& w) {
  const bool narrow = w.value() == "1";
  if (!narrow && w.value() != "2") return w.refuse("parameters are gathered in 1 or 2 bytes");
  if (narrow && w.s.job.precision == Precision::mxfp8) return w.refuse("mxfp8 is gathered in 2 bytes", kBridge);
  w.put("precision.fp8_param_gather", narrow ? "true" : "false");
}

void reduce_bytes(Writer& w) { put_wide_reduction(w, "precision.grad_reduce_in_fp32"); }

void stages(Writer& w) {
  if (!is_even(w.s)) w.put_word("strategy.pipeline_model_parallel_layout", write_stage_list(w.s));
}

void zero(Writer& w) {
  const int64_t stage = w.s.parallelism.zero;
  if (stage > 1) return w.refuse("its distributed optimizer is ZeRO 1", kBridge);
  for (const char* name : {"ddp.use_distributed_optimizer", "optimizer.use_distributed_optimizer"})
    w.put(name, stage == 1 ? "true" : "false");
}

/// MegatronStrategy puts its own number over that of its `ddp`.
void zero_group(Writer& w) { put_copies_of_shards(w, "strategy.num_distributed_optimizer_instances"); }

void vocab(Writer& w) {
  if (vocab_multiple(w) > 0) w.put("model.vocab_size", w.value());
}

/// Learned positions are as many as the sequence has.
void positions(Writer& w) {
  const Model& m = w.s.model;
  if (m.rotary && m.positions > 0) return w.refuse("learned and rotary positions exclude each other");
  if (!m.rotary && m.positions != w.s.job.sequence) return w.refuse("it learns a position for each of the sequence");
  w.put_word("model.position_embedding_type", m.rotary ? "rope" : "learned_absolute");
}

void activation(Writer& w) {
  constexpr ExportWord kFunctions[] = {{"silu", "torch.nn.functional.silu"},
                                       {"gelu", "torch.nn.functional.gelu"},
                                       {"relu", "torch.nn.functional.relu"},
                                       {"squared-relu", "squared_relu"}};
  if (const std::string function = word_of(w, kFunctions); !function.empty()) w.put("model.activation_func", function);
}

void norm(Writer& w) { w.put_word("model.normalization", w.s.model.norm == Norm::rmsnorm ? "RMSNorm" : "LayerNorm"); }

constexpr const char* kOneKind = "every layer of its GPTConfig is of one kind: --to megatron-bridge";

constexpr ExportRow kRows[] = {
    {.field = "parallelism.dp", .rule = launch},
    {.field = "job.tokens", .rule = [](Writer& w) { w.put("trainer.max_steps", steps(w.s)); }},
    {.field = "parallelism.microbatch", .name = "data.micro_batch_size"},
    {.field = "job.global_batch", .name = "data.global_batch_size"},
    {.field = "job.sequence", .rule = sequence},
    {.field = "job.precision", .rule = precision},
    {.field = "software.scaling", .rule = scaling},
    {.field = "software.gather_bytes", .when = is_narrow, .rule = gather_bytes},
    {.field = "software.reduce_bytes", .rule = reduce_bytes},
    {.field = "job.lora.rank", .hint = "llm.finetune has adapters"},
    {.field = "parallelism.stages", .rule = stages},
    {.field = "parallelism.sequence_parallel", .name = "strategy.sequence_parallel"},
    {.field = "parallelism.order", .rule = [](Writer& w) { put_mapping(w, "strategy.use_tp_pp_dp_mapping"); }},
    {.field = "parallelism.zero", .rule = zero},
    {.field = "parallelism.zero_group", .rule = zero_group},

    {.field = "model.vocab", .rule = vocab},
    {.field = "model.positions", .rule = positions},
    {.field = "model.activation", .rule = activation},
    {.field = "model.gated_mlp", .name = "model.gated_linear_unit"},
    {.field = "model.bias", .name = "model.add_bias_linear"},
    {.field = "model.norm", .rule = norm},
    {.field = "model.experts.first_dense", .hint = kOneKind},
    {.field = "model.experts.every", .hint = kOneKind},

    {.field = "software.overlap.tensor",
     .only = "false",
     .hint = "MegatronCommOverlapCallback does, which is yours to add"}};

}  // namespace

std::span<const ExportRow> nemo2_rows() {
  static const std::vector<ExportRow> kAll =
      joined({kRows, core_layout_rows("strategy"), core_script_rows(), core_rows(), core_shape_rows()});
  return kAll;
}

}  // namespace planner::exporting
