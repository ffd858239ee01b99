#include "planner/import/trainer_table.h"

#include <algorithm>

#include "planner/import/deepspeed_config.h"

namespace planner::trainer {
namespace {

// Keys that are not the Trainer's flag of the same letters.
constexpr OldName kSynonyms[] = {
    // axolotl
    {"base_model", "--model_name_or_path"},
    {"sequence_len", "--max_length"},
    {"micro_batch_size", "--per_device_train_batch_size"},
    {"optimizer", "--optim"},
    {"bfloat16", "--bf16"},
    {"float16", "--fp16"},
    {"dp_shard_size", "--parallelism_config_dp_shard_size"},
    {"dp_replicate_size", "--parallelism_config_dp_replicate_size"},
    {"tensor_parallel_size", "--parallelism_config_tp_size"},
    {"context_parallel_size", "--parallelism_config_cp_size"},
    {"sequence_parallel_degree", "--parallelism_config_cp_size"},
    {"expert_parallel_size", "--expert_parallel_size"},
    // LLaMA-Factory
    {"flash_attn", "--attn_implementation"},
    {"enable_liger_kernel", "--use_liger_kernel"},
    {"pure_bf16", "--bf16"},
    // earlier releases of transformers
    {"per_gpu_train_batch_size", "--per_device_train_batch_size"}};

constexpr const char *kAxolotlKeys[] = {"base_model", "sequence_len", "micro_batch_size"},
                     *kAxolotlWords[] = {"axolotl"},
                     *kFactoryKeys[] = {"finetuning_type", "cutoff_len", "quantization_bit"},
                     *kFactoryWords[] = {"llamafactory", "llmtuner"},
                     *kTrlKeys[] = {"max_length",          "dataset_text_field",   "use_peft",
                                    "assistant_only_loss", "completion_only_loss", "padding_free",
                                    "dataset_mixer",       "max_prompt_length"},
                     *kTrlWords[] = {"trl", "sft", "dpo", "grpo", "rloo", "kto"};

constexpr FlagDefault kAxolotlDefaults[] = {{"--per_device_train_batch_size", "1"},
                                            {"--gradient_accumulation_steps", "1"},
                                            {"--max_length", "512"},
                                            {"--bf16", "auto"},
                                            {"--optim", "adamw_torch_fused"}};
constexpr FlagDefault kFactoryDefaults[] = {{"--per_device_train_batch_size", "8"},
                                            {"--gradient_accumulation_steps", "1"},
                                            {"--cutoff_len", "2048"},
                                            {"--finetuning_type", "lora"},
                                            {"--lora_target", "all"},
                                            {"--gradient_checkpointing", "true"}};
constexpr FlagDefault kTrlDefaults[] = {{"--per_device_train_batch_size", "8"},
                                        {"--gradient_accumulation_steps", "1"},
                                        {"--max_length", "1024"},
                                        {"--gradient_checkpointing", "true"},
                                        {"--bf16", "true"}};
constexpr FlagDefault kTrainerDefaults[] = {{"--per_device_train_batch_size", "8"},
                                            {"--gradient_accumulation_steps", "1"}};

constexpr TrainerProgram kPrograms[] = {
    {"axolotl", "axolotl", kAxolotlKeys, kAxolotlWords, kAxolotlDefaults},
    {"LLaMA-Factory", "transformers", kFactoryKeys, kFactoryWords, kFactoryDefaults},
    {"TRL", "trl", kTrlKeys, kTrlWords, kTrlDefaults},
    {"the Trainer", "transformers", {}, {}, kTrainerDefaults}};

constexpr const char* kRuleFlags[] = {
    // accelerate: the engine
    "--use_deepspeed", "--use_fsdp", "--use_megatron_lm", "--multi_gpu", "--distributed_type", "--num_machines",
    "--mixed_precision", "--deepspeed_config_file", "--deepspeed", "--config_file",
    // FSDP
    "--fsdp", "--fsdp_version", "--fsdp_sharding_strategy", "--fsdp_reshard_after_forward", "--fsdp_offload_params",
    "--fsdp_activation_checkpointing", "--fsdp_auto_wrap_policy", "--fsdp_backward_prefetch", "--fsdp_config",
    // meshes
    "--parallelism_config_dp_shard_size", "--parallelism_config_dp_replicate_size", "--parallelism_config_tp_size",
    "--parallelism_config_cp_size", "--parallelism_config_sp_size", "--expert_parallel_size",
    // Megatron-LM under accelerate
    "--megatron_lm_tp_degree", "--megatron_lm_pp_degree", "--megatron_lm_num_micro_batches",
    "--megatron_lm_sequence_parallelism", "--megatron_lm_recompute_activations", "--megatron_lm_recompute_granularity",
    "--megatron_lm_use_distributed_optimizer", "--megatron_lm_expert_model_parallel_size",
    "--megatron_lm_context_parallel_size", "--megatron_lm_expert_tensor_parallel_size",
    "--megatron_lm_optimizer_cpu_offload",
    // the Trainer and its programs
    "--attn_implementation", "--activation_offloading", "--tf32", "--adapter", "--lora_target_linear",
    "--disable_gradient_checkpointing", "--flash_attention", "--sdp_attention", "--config", "--packing",
    "--use_unsloth"};

constexpr const char* kLostFlags[] = {
    // what is trained
    "--freeze_trainable_layers", "--freeze_trainable_modules", "--unfrozen_parameters", "--use_llama_pro",
    "--mixture_of_depths", "--lisa_n_layers", "--process_reward_model", "--use_dora", "--relora", "--oft_block_size",
    "--neftune_noise_alpha", "--model_quantization_config", "--quantize_moe_experts", "--qat", "--use_onebitllms",
    // optimizers
    "--use_galore", "--use_apollo", "--use_badam", "--use_adam_mini", "--use_muon",
    // kernels and precision
    "--fp8", "--tiled_mlp", "--liger_rope", "--liger_rms_norm", "--liger_rms_norm_gated", "--liger_layer_norm",
    "--liger_glu_activation", "--liger_fused_linear_cross_entropy", "--cut_cross_entropy", "--use_kernels",
    "--use_v1_kernels", "--use_scattermoe", "--use_sonicmoe", "--experts_implementation", "--use_kt",
    "--torch_empty_cache_steps",
    // where it runs
    "--use_cpu", "--megatron_lm_use_custom_fsdp", "--megatron_lm_use_precision_aware_optimizer",
    "--megatron_lm_decoder_last_pipeline_num_layers"};

// Keys of DeepSpeed's section in accelerate's file.
constexpr const char* kIdleKeys[] = {
    // launching
    "deepspeed_multinode_launcher", "deepspeed_hostfile", "deepspeed_exclusion_filter", "deepspeed_inclusion_filter",
    "deepspeed_moe_layer_cls_names", "deepspeed_config_file",
    // loading, saving, and paths
    "zero3_init_flag", "offload_optimizer_nvme_path", "offload_param_nvme_path", "zero3_save_16bit_model"};
constexpr OldName kOldNames[] = {{"zero_stage", "zero_optimization.stage"},
                                 {"offload_optimizer_device", "zero_optimization.offload_optimizer.device"},
                                 {"offload_param_device", "zero_optimization.offload_param.device"}};

/// A trailing '*' matches any ending.
constexpr const char* kIdle[] = {
    // data and templates
    "--data*", "--train_*", "--test_*", "--val_set_size", "--max_samples", "--template", "--chat_template*",
    "--preprocessing_*", "--overwrite_*", "--packing_strategy", "--neat_packing", "--sample_packing*", "--pad_to_*",
    "--eval_sample_packing", "--streaming", "--shuffle*", "--special_tokens", "--tokens", "--skip_*", "--roles*",
    "--image_*", "--video_*", "--audio_*", "--media_dir", "--mix_strategy", "--max_train_samples", "--text_column*",
    "--assistant_only_loss", "--completion_only_loss", "--padding_free", "--max_prompt_length", "--eos_token",
    "--pad_token*", "--remove_unused_columns", "--group_by_length", "--length_column_name", "--pretraining_dataset",
    "--tokenizer*", "--processor*", "--mask_history", "--ignore_pad_token_for_loss", "--excess_length_strategy",
    "--min_sample_len", "--curriculum_sampling", "--multipack_*", "--eot_tokens", "--truncation_mode",
    // learning rates and losses
    "--learning_rate", "--lr_*", "--cosine_*", "--warmup_*", "--weight_decay", "--adam_*", "--max_grad_norm",
    "--optim_args", "--optim_target_modules", "--label_*", "--loss_*", "--num_train_epochs", "--num_epochs", "--epochs",
    "--rl_*", "--pref_*", "--dpo_*", "--kto_*", "--beta", "--trl", "--stage", "--plot_loss", "--router_*", "--seed",
    "--data_seed", "--full_determinism", "--early_stopping_*", "--center_rewards_*", "--orpo_*", "--simpo_*", "--gamma",
    "--ref_model*", "--reward_model*", "--compute_accuracy", "--moe_aux_loss_coef", "--export_*", "--galore_*",
    "--apollo_*", "--badam_*", "--lisa_*", "--oft_*", "--kt_*", "--relora_*", "--tokenized_path", "--num_labels",
    "--eta_min", "--jagged_*", "--batch_flattening*", "--hf_use_auth_token", "--noisy_embedding_alpha",
    "--use_dft_loss", "--use_asft_loss", "--asft_*", "--use_eaft*", "--eaft_*", "--loraplus_*", "--reinit_weights",
    // logs, checkpoints, evaluation, the hub
    "--output_dir", "--logging_*", "--save_*", "--saves_*", "--eval_*", "--evals_*", "--evaluation_*", "--do_*",
    "--report_to", "--run_name", "--hub_*", "--push_*", "--resume_*", "--auto_resume_*", "--load_best_*", "--metric_*",
    "--wandb_*", "--use_wandb", "--mlflow_*", "--swanlab_*", "--use_swanlab", "--trackio_*", "--use_tensorboard",
    "--comet_*", "--project*", "--per_device_eval_batch_size", "--predict_*", "--greater_is_better", "--prediction_*",
    "--include_*", "--disable_tqdm", "--log_*", "--callbacks", "--gc_steps", "--otel_*", "--use_otel_*", "--profiler_*",
    "--strict", "--debug", "--hf_hub_token", "--token", "--ray_*", "--use_ray", "--infer_backend", "--dump_*",
    // adapters and numbers of bits, beside rank and targets
    "--lora_*", "--peft_*", "--use_rslora", "--bnb_*", "--quantization_*", "--double_quantization", "--use_bnb_*",
    "--pissa_*", "--additional_target", "--create_new_adapter", "--adapter_*", "--cache_dir", "--upcast_*", "--gptq*",
    // loading and code
    "--model_type", "--model_revision", "--model_init_kwargs", "--revision_of_model", "--base_model_*", "--torch_dtype",
    "--dtype", "--trust_remote_code", "--low_cpu_mem_usage", "--use_auth_token", "--use_fast*", "--config_overrides",
    "--gradient_checkpointing_kwargs", "--model_config*", "--type_of_model", "--cls_model_config", "--plugins",
    "--strict_*", "--resize_*", "--resize_vocab", "--rope_*", "--overrides_of_*", "--is_*_derived_model",
    "--freeze_vision_tower", "--freeze_multi_modal_projector", "--freeze_language_model", "--freeze_mm_modules",
    "--experimental_*", "--use_cache", "--unsloth_*", "--fix_untrained_tokens", "--embeddings_skip_upcast",
    "--accelerator_config", "--flash_attn_*", "--flash_optimum", "--xformers_attention", "--s2_attention",
    "--eager_attention", "--heads_k_stride", "--ring_attn_func", "--env",
    // meshes, and Megatron-LM under accelerate
    "--parallelism_config_cp_backend", "--parallelism_config_cp_comm_strategy", "--parallelism_config_sp_backend",
    "--parallelism_config_sp_seq_length", "--parallelism_config_sp_seq_length_is_variable",
    "--parallelism_config_sp_attn_implementation", "--megatron_lm_no_load_optim", "--megatron_lm_no_save_optim",
    "--megatron_lm_eod_mask_loss", "--megatron_lm_overlap_cpu_optimizer_d2h_h2d", "--megatron_lm_gradient_clipping",
    "--megatron_lm_recompute_method", "--megatron_lm_recompute_num_layers", "--megatron_lm_attention_dropout",
    "--megatron_lm_hidden_dropout", "--megatron_lm_attention_softmax_in_fp32", "--megatron_lm_attention_backend",
    "--megatron_lm_calculate_per_token_loss", "--megatron_lm_use_rotary_position_embeddings",
    // launching
    "--ddp*", "--local_rank", "--dataloader_*", "--average_tokens_across_devices", "--auto_find_batch_size",
    "--torchdistx_path", "--device_map", "--max_memory", "--gpu_memory_limit", "--torch_compile_*", "--no_cuda",
    "--compute_environment", "--machine_rank", "--main_*", "--rdzv_*", "--same_network", "--enable_cpu_affinity",
    "--gpu_ids", "--downcast_bf16", "--tpu_*", "--command_file", "--commands", "--mpirun_*", "--dynamo_*",
    "--fsdp_transformer_layer*", "--fsdp_state_dict_type", "--fsdp_cpu_ram_*", "--fsdp_use_orig_params",
    "--fsdp_sync_module_states", "--fsdp_forward_prefetch", "--fsdp_min_num_params", "--fsdp_ignored_modules",
    "--fsdp_limit_all_gathers", "--fsdp_xla*", "--fsdp_final_state_dict_type", "--fsdp_mixed_precision_policy",
    "--fsdp_param_init_fn", "--fp8_*", "--enable_liger_*", "--vllm*", "--use_vllm", "--num_generations*",
    "--temperature", "--top_*", "--max_completion_length", "--max_new_tokens"};

constexpr LaunchSection kSections[] = {{"fsdp_config", "fsdp_"},
                                       {"parallelism_config", "parallelism_config_"},
                                       {"megatron_lm_config", "megatron_lm_"},
                                       {"fp8_config", "fp8_"},
                                       {"dynamo_config", "dynamo_"},
                                       {"mpirun_config", "mpirun_"}};
constexpr const char* kLaunchKeys[] = {
    "compute_environment", "distributed_type", "mixed_precision", "use_cpu", "debug", "num_processes", "machine_rank",
    "num_machines", "gpu_ids", "main_process_ip", "main_process_port", "rdzv_backend", "rdzv_conf", "same_network",
    "main_training_function", "enable_cpu_affinity", "downcast_bf16", "tpu_name", "tpu_zone", "tpu_use_cluster",
    "tpu_use_sudo", "command_file", "commands", "tpu_vm", "tpu_env", "deepspeed_config", "fsdp_config",
    "parallelism_config", "megatron_lm_config", "fp8_config", "mpirun_config", "dynamo_config",
    // earlier releases, and forks
    "fp16", "dynamo_backend", "ipex_config", "use_xpu", "deepspeed_fields_from_accelerate_config", "use_kt",
    "kt_config"};

std::vector<const char*> both(std::span<const char* const> a, std::span<const char* const> b) {
  std::vector<const char*> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

bool in(std::string_view flag, std::span<const char* const> rows) {
  return std::ranges::any_of(rows, [&](std::string_view row) {
    return row.ends_with('*') ? flag.starts_with(row.substr(0, row.size() - 1)) : flag == row;
  });
}

/// Whether a word of the line is the program, or a script or module of its name: "trl", "axolotl.cli.train", "sft.py".
bool launches(const ShellCommand& line, std::span<const char* const> names) {
  for (const ShellWord& word : line.words) {
    if (word.text.starts_with("--")) continue;
    const size_t slash = word.text.rfind('/');
    const std::string_view base = std::string_view(word.text).substr(slash == std::string::npos ? 0 : slash + 1);
    for (const std::string_view name : names) {
      if (!base.starts_with(name)) continue;
      const std::string_view rest = base.substr(name.size());
      if (rest.empty() || rest == ".py" || rest.starts_with("-cli") || rest.starts_with(".cli")) return true;
    }
  }
  return false;
}

}  // namespace

const TrainerProgram& program_of(const dsl::Node* file, const ShellCommand& line) {
  for (const TrainerProgram& row : kPrograms) {
    const bool tells =
        file && std::ranges::any_of(row.telling, [&](const char* key) { return file->find(key) != nullptr; });
    if (tells || launches(line, row.launched)) return row;
  }
  return kPrograms[std::size(kPrograms) - 1];
}

std::string flag_of(std::string_view key) {
  const auto row = std::ranges::find_if(kSynonyms, [&](const OldName& synonym) { return key == synonym.old; });
  return row == std::end(kSynonyms) ? "--" + std::string(key) : row->now;
}

megatron::FlagRole role_of(std::string_view flag) {
  if (in(flag, key_table().rule_flags)) return megatron::FlagRole::rule;
  if (in(flag, key_table().lost_flags)) return megatron::FlagRole::lost;
  return in(flag, kIdle) ? megatron::FlagRole::idle : megatron::FlagRole::unknown;
}

std::vector<std::string> read_keys() {
  std::vector<std::string> names;
  for (const char* flag : key_table().rule_flags) names.emplace_back(flag + 2);
  for (const OldName& synonym : kSynonyms) names.emplace_back(synonym.old);
  return names;
}

const KeyTable& key_table() {
  const KeyTable& base = deepspeed::key_table();
  static const std::vector<const char*> kIdleAll = both(base.idle, kIdleKeys),
                                        kRules = both(base.rule_flags, kRuleFlags),
                                        kLost = both(base.lost_flags, kLostFlags);
  static const KeyTable kTable{base.fields, base.rules, base.lost, kIdleAll, kRules, kLost, kOldNames};
  return kTable;
}

const megatron::ProgramFlags& launcher() {
  static constexpr megatron::ProgramFlags kLauncher{"accelerate", {}, {}, {}, {}, {}};
  return kLauncher;
}

std::span<const LaunchSection> sections() { return kSections; }
std::span<const char* const> launch_keys() { return kLaunchKeys; }

}  // namespace planner::trainer
