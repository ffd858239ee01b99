#include "planner/import/torchtitan_table.h"

#include <algorithm>

namespace planner::torchtitan {
namespace {

constexpr FieldKey kFieldKeys[] = {{"parallelism.tensor_parallel_degree", "parallelism.tp"},
                                   {"parallelism.pipeline_parallel_degree", "parallelism.pp"},
                                   {"parallelism.context_parallel_degree", "parallelism.cp"},
                                   {"parallelism.expert_parallel_degree", "parallelism.ep"},
                                   {"parallelism.expert_tensor_parallel_degree", "parallelism.etp"},
                                   {"model_spec.num_mtp_layers", "model.mtp"}};

// The defaults of the dataclasses of job_config.py; -1 means "the rest", or "no such number".
constexpr Default kDefaults[] = {{"model.name", "llama3"},                                        // Model
                                 {"model.flavor", "debugmodel"},                                  // Model
                                 {"optimizer.name", "AdamW"},                                     // Optimizer
                                 {"optimizer.implementation", "fused"},                           // Optimizer
                                 {"training.seq_len", "2048"},                                    // Training
                                 {"training.local_batch_size", "8"},                              // Training
                                 {"training.global_batch_size", "-1"},                            // Training
                                 {"training.mixed_precision_param", "bfloat16"},                  // Training
                                 {"training.mixed_precision_reduce", "float32"},                  // Training
                                 {"training.dtype", "float32"},                                   // Training
                                 {"parallelism.data_parallel_replicate_degree", "1"},             // Parallelism
                                 {"parallelism.data_parallel_shard_degree", "-1"},                // Parallelism
                                 {"parallelism.fsdp_reshard_after_forward", "default"},           // Parallelism
                                 {"parallelism.pipeline_parallel_schedule", "1F1B"},              // Parallelism
                                 {"parallelism.pipeline_parallel_microbatch_size", "1"},          // Parallelism
                                 {"parallelism.pipeline_parallel_first_stage_less_layers", "1"},  // Parallelism
                                 {"parallelism.pipeline_parallel_last_stage_less_layers", "1"},   // Parallelism
                                 {"parallelism.context_parallel_rotate_method", "allgather"},     // Parallelism
                                 {"parallelism.context_parallel_load_balancer", "headtail"},      // Parallelism
                                 {"activation_checkpoint.mode", "selective"},         // ActivationCheckpoint
                                 {"activation_checkpoint.selective_ac_option", "2"},  // ActivationCheckpoint
                                 {"compile.enable", "false"},                         // Compile
                                 {"float8.recipe_name", "tensorwise"},                // torchao: Float8LinearConfig
                                 {"mx.recipe_name", "mxfp8"}};                        // MX

constexpr const char* kRules[] = {
    // the model and its batches
    "model.name", "model.flavor", "model.converters", "training.seq_len", "training.steps", "training.local_batch_size",
    "training.global_batch_size", "parallelism.pipeline_parallel_microbatch_size",
    "parallelism.pipeline_parallel_microbatches",
    // which ranks hold what
    "parallelism.data_parallel_replicate_degree", "parallelism.data_parallel_shard_degree",
    "parallelism.fsdp_reshard_after_forward", "parallelism.context_parallel_rotate_method",
    "parallelism.context_parallel_load_balancer", "training.enable_cpu_offload",
    // pipelines
    "parallelism.pipeline_parallel_schedule", "parallelism.pipeline_parallel_split_points",
    "parallelism.module_fqns_per_model_part", "parallelism.pipeline_parallel_layers_per_stage",
    "parallelism.pipeline_parallel_first_stage_less_layers", "parallelism.pipeline_parallel_last_stage_less_layers",
    // types and optimizer
    "training.mixed_precision_param", "training.mixed_precision_reduce", "training.dtype",
    "float8.enable_float8_linear", "float8.recipe_name", "float8.scaling_type_input",
    "float8.enable_fsdp_float8_all_gather", "mx.recipe_name", "optimizer.name", "optimizer.implementation",
    // recompute, compiling, experts
    "activation_checkpoint.mode", "activation_checkpoint.selective_ac_option", "compile.enable", "compile.components",
    "training.disable_cuda_graphs", "parallelism.enable_async_tensor_parallel",
    "parallelism.expert_parallel_comm_backend"};

constexpr RefusedKey kRefused[] = {
    // of the releases that Python configures
    {"training.max_context_length", "is not read in TOML", "`training.seq_len = N`"},
    {"training.num_tokens_per_microbatch_per_dp_rank", "is not read in TOML", "`training.local_batch_size = N`"},
    {"training.num_tokens_per_train_step", "is not read in TOML", "`training.global_batch_size = N`"},
    {"parallelism.num_pp_microbatches", "is not read in TOML", "`parallelism.pipeline_parallel_microbatch_size = N`"},
    // the model and its types
    {"experimental.torch_spmd", "divides matrices by a compiler"},
    {"float8.emulate", "computes in 16 bits"},
    {"quantize.linear.float8.emulate", "computes in 16 bits"},
    {"quantize.dense", "is what `quantize.linear` is called now", "`[quantize.linear.float8]`"},
    {"training.enable_float8_linear", "is no longer read", "`float8.enable_float8_linear = true`"},
    {"training.enable_fp8_linear", "is no longer read", "`float8.enable_float8_linear = true`"},
    {"training.fp8_linear", "is no longer read", "`float8.enable_float8_linear = true`"},
    {"optimizer.param_groups", "chooses an optimizer for each group of weights"},
    // which ranks hold what
    {"parallelism.disable_loss_parallel", "gathers the logits on each tensor rank"},
    {"training.disable_loss_parallel", "gathers the logits on each tensor rank"},
    {"training.enable_loss_parallel", "gathers the logits on each tensor rank", "", "true"},
    {"parallelism.enable_sequence_parallel", "keeps whole sequences on each tensor rank", "", "true"},
    {"parallelism.pipeline_parallel_schedule_csv", "orders the pipeline by a file"},
    {"experimental.pipeline_parallel_schedule_csv", "orders the pipeline by a file"},
    {"fault_tolerance.enable", "replicates the model over groups that come and go"},
    {"training.data_parallel_type", "replicates the model", "`parallelism.data_parallel_replicate_degree`", "fsdp"},
    // what has a memory of its own
    {"optimizer.early_step_in_backward", "frees each gradient at once"},
    {"liger_kernel.enable_fused_linear_cross_entropy", "computes the loss without logits"},
    {"compile.backend", "compiles as no profile does", "", "inductor"}};
constexpr size_t kNotInToml = 4;  // of them

constexpr const char* kLost[] = {
    // how the step runs
    "training.deterministic", "debug.deterministic", "debug.moe_force_load_balance",
    "training.debug_moe_force_load_balance", "debug.batch_invariant", "debug.detect_anomaly",
    "parallelism.enable_compiled_autograd", "experimental.enable_compiled_autograd", "parallelism.enable_fsdp_symm_mem",
    "experimental.pipeline_parallel_split_mode",
    // parts of a layer
    "model.norm_type", "model.use_flex_attn", "model.attn_mask_type", "model_spec.tp_gemm_backend",
    "model_spec.non_blocking_capacity_factor",
    // narrow types of parts
    "float8.moe_fqns_prototype", "float8.moe_fqns", "float8.force_recompute_fp8_weight_in_bwd", "mx.moe_fqns_prototype",
    "quantize.grouped_mm.float8.fqns", "quantize.grouped_mm.mx.fqns", "quantize.moe",
    // user code
    "experimental.custom_import", "experimental.custom_args_module", "experimental.custom_model_path",
    "job.custom_config_module", "override.imports"};

constexpr const char* kIdle[] = {
    // data, logs, checkpoints, evaluation, timeouts
    "job", "profiling", "metrics", "checkpoint", "comm", "memory_estimation", "validation", "lr_scheduler", "debug",
    "fault_tolerance", "estimate", "profiler", "tokenizer", "dataloader", "validator", "loss", "dump_folder",
    "hf_assets_path", "model.tokenizer_path", "model.hf_assets_path", "model.print_after_conversion",
    "training.dataset", "training.dataset_path", "training.gc_freq", "training.gc_debug", "training.seed",
    "training.dataloader", "model_spec.attn_backend",
    // learning rate and clipping
    "optimizer.optimizer_factory_kwargs_by_name", "optimizer.lr", "optimizer.beta1", "optimizer.beta2", "optimizer.eps",
    "optimizer.weight_decay", "optimizer.fused", "training.max_norm", "training.warmup_steps",
    // what torchtitan does in one way, which its software profile says
    "parallelism.pipeline_parallel_expert_parallel_overlap", "parallelism.spmd_backend",
    "parallelism.context_parallel_ptrr_mask_key", "activation_checkpoint.force_recompute_mm_shapes_by_fqns",
    "training.enable_fsdp_float8_all_gather", "training.enable_fsdp_fp8_all_gather",
    "training.precompute_float8_dynamic_scale_for_fsdp", "training.float8_scaling_type_input",
    "training.float8_scaling_type_weight", "training.float8_scaling_type_grad_output",
    "activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns", "activation_checkpoint.early_stop",
    "activation_checkpoint.memory_budget", "activation_checkpoint.visualize_memory_budget_pareto",
    "activation_checkpoint.preserve_rng_state", "activation_checkpoint.determinism_check",
    "activation_checkpoint.debug", "float8.precompute_float8_dynamic_scale_for_fsdp", "float8.filter_fqns",
    "float8.scaling_type_weight", "float8.scaling_type_grad_output", "mx.mxfp8_dim1_cast_kernel_choice",
    "mx.use_fp8_dim1_cast_triton_kernel", "mx.filter_fqns", "quantize.linear.mx.mxfp8_dim1_cast_kernel_choice",
    "quantize.linear.mx.filter_fqns", "quantize.linear.float8.filter_fqns",
    "quantize.linear.float8.precompute_float8_dynamic_scale_for_fsdp", "quantize.grouped_mm.mx.recipe_name"};

constexpr const char* kRuleFlags[] = {"--nproc_per_node", "--nproc-per-node", "--nnodes", "--module", "--config"};

constexpr OldName kOldNames[] = {
    {"training.batch_size", "training.local_batch_size"},
    {"training.compile", "compile.enable"},
    {"training.data_parallel_degree", "parallelism.data_parallel_shard_degree"},
    {"training.data_parallel_shard_degree", "parallelism.data_parallel_shard_degree"},
    {"training.data_parallel_replicate_degree", "parallelism.data_parallel_replicate_degree"},
    {"training.tensor_parallel_degree", "parallelism.tensor_parallel_degree"},
    {"training.pipeline_parallel_degree", "parallelism.pipeline_parallel_degree"},
    {"experimental.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"},
    {"experimental.context_parallel_degree", "parallelism.context_parallel_degree"},
    {"experimental.context_parallel_rotate_method", "parallelism.context_parallel_rotate_method"},
    {"experimental.pipeline_parallel_degree", "parallelism.pipeline_parallel_degree"},
    {"experimental.pipeline_parallel_schedule", "parallelism.pipeline_parallel_schedule"},
    {"experimental.pipeline_parallel_split_points", "parallelism.pipeline_parallel_split_points"},
    {"experimental.pipeline_parallel_microbatches", "parallelism.pipeline_parallel_microbatches"},
    {"quantize.linear.float8.recipe_name", "float8.recipe_name"},
    {"quantize.linear.float8.enable_fsdp_float8_all_gather", "float8.enable_fsdp_float8_all_gather"},
    {"quantize.linear.mx.recipe_name", "mx.recipe_name"},
    {"training.fsdp_reshard_after_forward", "parallelism.fsdp_reshard_after_forward"},
    {"compile.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"}};

/// The newest names, before those of TOML.
constexpr OldName kNewestNames[] = {{"model_spec.name", "model.name"},
                                    {"model_spec.flavor", "model.flavor"},
                                    {"model_spec.converters", "model.converters"},
                                    {"model_spec.moe_comm_backend", "parallelism.expert_parallel_comm_backend"},
                                    {"training.max_context_length", "training.seq_len"},
                                    {"training.num_tokens_per_microbatch_per_dp_rank", "training.local_batch_size"},
                                    {"training.num_tokens_per_train_step", "training.global_batch_size"},
                                    {"parallelism.num_pp_microbatches", "parallelism.pipeline_parallel_microbatches"}};
constexpr OldName kMovedNames[] = {
    {"compile.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"}};

}  // namespace

const KeyTable& newest_table() {
  static const std::vector<OldName> kNames = [] {
    std::vector<OldName> names(std::begin(kNewestNames), std::end(kNewestNames));
    names.insert(names.end(), std::begin(kOldNames), std::end(kOldNames));
    return names;
  }();
  static const KeyTable kTable{kFieldKeys, kRules, kLost,  kIdle,
                               kRuleFlags, {},     kNames, std::span(kRefused).subspan(kNotInToml)};
  return kTable;
}

std::string newest_name(std::string_view key) {
  for (const auto& names : {std::span<const OldName>(kNewestNames), std::span<const OldName>(kMovedNames)})
    for (const OldName& name : names)
      if (key == name.now) return name.old;
  return std::string(key);
}

const KeyTable& key_table() {
  static constexpr KeyTable kTable{kFieldKeys, kRules, kLost, kIdle, kRuleFlags, {}, kOldNames, kRefused};
  return kTable;
}

std::span<const Default> defaults() { return kDefaults; }

const char* default_of(std::string_view key) {
  const auto* row = std::ranges::find_if(kDefaults, [&](const Default& d) { return key == d.key; });
  return row == std::end(kDefaults) ? "" : row->value;
}

}  // namespace planner::torchtitan
