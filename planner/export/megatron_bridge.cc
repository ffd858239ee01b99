// Megatron-Bridge: a Python script that fills its ConfigContainer (megatron/bridge/training/config.py,
// mixed_precision.py), with a model of the hub that AutoBridge reads. The section `model` has the fields of
// Megatron-Core's TransformerConfig, `ddp` and `optimizer` those of its DistributedDataParallelConfig and
// OptimizerConfig (megatron/core/distributed, megatron/core/optimizer).
#include <algorithm>

#include "planner/export/core_rules.h"
#include "planner/export/stage_list.h"
#include "planner/export/table.h"

namespace planner::exporting {
namespace {

/// Beginnings of names on the hub whose architecture has no bridge in megatron/bridge/models.
constexpr std::string_view kNoBridge[] = {"bigscience/bloom", "openai-community/gpt2", "Qwen/Qwen2-57B"};

void launch(Writer& w) {
  if (!fills_nodes(w)) return;
  w.put("--nproc-per-node", gpus_per_node(w.s));
  w.put("--nnodes", nodes(w.s));
}

void model(Writer& w) {
  const std::string name = hub_model(w).name;
  const bool none = std::ranges::any_of(kNoBridge, [&](std::string_view start) { return name.starts_with(start); });
  if (none) return w.refuse("AutoBridge has no bridge for " + name, "--to megatron");
  put_hub_model(w, "hf_model", "hf_model");
}

void vocab(Writer& w) {
  keep_shape(w);
  if (const int64_t multiple = vocab_multiple(w)) w.put("model.make_vocab_size_divisible_by", multiple);
}

void dropout(Writer& w) { put_dropout(w, "model.hidden_dropout", "model.attention_dropout"); }

/// Prediction layers are a choice of the run, whatever the config.json has.
void mtp(Writer& w) { w.put("model.mtp_num_layers", has_mtp(w.s) ? w.value() : "None"); }

void sequence(Writer& w) {
  w.put("model.seq_length", w.value());
  w.put("dataset.sequence_length", w.value());
}

void precision(Writer& w) {
  const Precision p = w.s.job.precision;
  if (p == Precision::tf32)
    return w.refuse("TF32 is a setting of PyTorch", "NVIDIA_TF32_OVERRIDE=1 with precision fp32");
  const char* kind = p == Precision::fp32 ? "fp32" : p == Precision::fp16 ? "fp16" : "bf16";
  const char* type = p == Precision::fp32 ? "torch.float32" : p == Precision::fp16 ? "torch.float16" : "torch.bfloat16";
  w.put(std::string("mixed_precision.") + kind, "true");
  w.put("mixed_precision.params_dtype", type);
  w.put("mixed_precision.pipeline_dtype", type);
  if (p == Precision::fp8) w.put_word("mixed_precision.fp8", "hybrid");
  if (p == Precision::nvfp4) w.put_word("mixed_precision.fp4", "e2m1");
  if (p != Precision::mxfp8) return;
  w.put_word("mixed_precision.fp8", "e4m3");
  w.put_word("mixed_precision.fp8_recipe", "mxfp8");
}

void scaling(Writer& w) { put_scaling(w, "mixed_precision.fp8_recipe"); }

void gather_bytes(Writer& w) {
  if (w.value() == "2") return;
  if (w.value() != "1" || w.s.job.precision == Precision::nvfp4) return w.refuse("parameters are gathered in 2 bytes");
  w.put("mixed_precision.fp8_param_gather", "true");
  if (w.s.job.precision == Precision::mxfp8) w.put("mixed_precision.reuse_grad_buf_for_mxfp8_param_ag", "true");
}

void reduce_bytes(Writer& w) { put_wide_reduction(w, "mixed_precision.grad_reduce_in_fp32"); }

void stages(Writer& w) {
  if (!is_even(w.s)) w.put_word("model.pipeline_model_parallel_layout", write_stage_list(w.s));
}

void zero(Writer& w) {
  const int64_t stage = w.s.parallelism.zero;
  if (is_fsdp(w.s)) {
    if (stage == 2 || has_pipeline(w.s))
      return w.refuse("PyTorch's FSDP has zero 3 and no pipeline", "software.fsdp: false");
    return w.put("dist.use_torch_fsdp2", "true");
  }
  w.put("ddp.use_distributed_optimizer", stage > 0 ? "true" : "false");
  w.put("optimizer.use_distributed_optimizer", stage > 0 ? "true" : "false");
  if (stage < 2) return;
  w.put("ddp.use_megatron_fsdp", "true");
  w.put_word("ddp.data_parallel_sharding_strategy", stage == 2 ? "optim_grads" : "optim_grads_params");
}

void zero_group(Writer& w) { put_copies_of_shards(w, "ddp.num_distributed_optimizer_instances"); }

/// ConfigContainer.validate has Megatron-Core's own FSDP in the order of the default alone.
void order(Writer& w) {
  if (w.value() == kDefaultOrder) return;
  if (w.value() != "tp-cp-ep-pp-dp") return w.refuse();
  if (w.s.parallelism.zero > 1 && !is_fsdp(w.s))
    return w.refuse("use_tp_pp_dp_mapping is not supported with Megatron FSDP", std::string("order: ") + kDefaultOrder);
  w.put("dist.use_tp_pp_dp_mapping", "true");
}

/// A graph of a whole step cannot look at its losses and gradients (ConfigContainer.validate).
void graphs(Writer& w) {
  if (w.s.software.graphs == Graphs::none) return;
  const bool step = w.s.software.graphs == Graphs::step;
  w.put_word("model.cuda_graph_impl", step ? "local" : "transformer_engine");
  if (step) w.put_word("model.cuda_graph_scope", "full_iteration");
  else w.put("model.cuda_graph_scope", R"(["attn", "moe_router", "moe_preprocess"])");
  if (step) w.put("rerun_state_machine.check_for_nan_in_loss", "false");
  if (step) w.put("ddp.check_for_nan_in_grad", "false");
  w.put("model.use_te_rng_tracker", "true");
  w.put("rng.te_rng_tracker", "true");
}

constexpr ExportRow kRows[] = {
    {.field = "parallelism.dp", .rule = launch},
    {.field = "model.name", .rule = model},
    {.field = "model.operators*", .rule = refuse_operators},
    {.field = "model.pattern", .rule = refuse_pattern},
    {.field = "model.vocab", .rule = vocab},
    {.field = "model.dropout", .rule = dropout},
    {.field = "model.mtp", .rule = mtp},
    {.field = "model.*", .rule = keep_shape, .always = true},
    {.field = "job.precision", .rule = precision},
    {.field = "software.scaling", .rule = scaling},
    {.field = "software.gather_bytes", .when = is_narrow, .rule = gather_bytes},
    {.field = "software.reduce_bytes", .rule = reduce_bytes},
    {.field = "job.tokens", .rule = [](Writer& w) { w.put("train.train_iters", steps(w.s)); }},
    {.field = "parallelism.microbatch", .name = "train.micro_batch_size"},
    {.field = "job.global_batch", .name = "train.global_batch_size"},
    {.field = "job.sequence", .rule = sequence},
    {.field = "job.lora.rank", .hint = "its recipes of finetuning have adapters"},
    {.field = "parallelism.stages", .rule = stages},
    {.field = "parallelism.order", .rule = order},
    {.field = "parallelism.zero", .rule = zero},
    {.field = "parallelism.zero_group", .rule = zero_group},
    {.field = "software.overlap.tensor", .name = "model.tp_comm_overlap"},
    {.field = "software.graphs", .rule = graphs}};

}  // namespace

std::span<const ExportRow> megatron_bridge_rows() {
  static const std::vector<ExportRow> kAll =
      joined({kRows, core_layout_rows("model"), core_script_rows(), core_rows()});
  return kAll;
}

}  // namespace planner::exporting
