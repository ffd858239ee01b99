// What a reader of accelerate's launch line and YAML would do with each name: the list that its table is held against.
#include <map>

#include "tests/planner/import/stored_names.h"

namespace {

/// The names of a class, without "--" and the section in front.
struct AccelerateClass {
  const char *name, *members;
};
constexpr AccelerateClass kAccelerateClasses[] = {
    {"read",
     "config_file compute_environment distributed_type deepspeed_config deepspeed_config_file fsdp_config "
     "megatron_lm_config parallelism_config fp8_config dynamo_config num_machines num_processes multi_gpu gpu_ids "
     "mixed_precision use_deepspeed use_fsdp use_megatron_lm use_parallelism_config zero_stage "
     "offload_optimizer_device offload_param_device gradient_accumulation_steps deepspeed_inclusion_filter "
     "fsdp_activation_checkpointing fsdp_offload_params fsdp_reshard_after_forward fsdp_sharding_strategy fsdp_version "
     "parallelism_config_cp_size parallelism_config_cp_comm_strategy parallelism_config_dp_replicate_size "
     "parallelism_config_dp_shard_size parallelism_config_tp_size parallelism_config_sp_size megatron_lm_tp_degree "
     "megatron_lm_pp_degree megatron_lm_num_micro_batches megatron_lm_sequence_parallelism "
     "megatron_lm_recompute_activations megatron_lm_use_distributed_optimizer megatron_lm_context_parallel_size "
     "megatron_lm_expert_model_parallel_size megatron_lm_expert_tensor_parallel_size megatron_lm_recompute_granularity "
     "megatron_lm_recompute_method megatron_lm_recompute_num_layers megatron_lm_optimizer_cpu_offload "
     "megatron_lm_attention_backend megatron_lm_attention_dropout megatron_lm_hidden_dropout "
     "megatron_lm_use_rotary_position_embeddings fp8_format dynamo_backend "},
    {"refused",
     "cpu use_cpu tpu tpu_cluster downcast_bf16 fp8_opt_level optimization_level fp8_backend backend "
     "fp8_override_linear_precision override_linear_precision megatron_lm_decoder_last_pipeline_num_layers "
     "megatron_lm_use_custom_fsdp megatron_lm_use_precision_aware_optimizer "},
    {"lost",
     "dynamo_mode dynamo_use_dynamic dynamo_use_fullgraph dynamo_use_regional_compilation "
     "fp8_enable_fsdp_float8_all_gather enable_fsdp_float8_all_gather fsdp_backward_prefetch fsdp_forward_prefetch "
     "megatron_lm_overlap_cpu_optimizer_d2h_h2d fsdp_auto_wrap_policy fsdp_min_num_params "
     "fsdp_transformer_layer_cls_to_wrap parallelism_config_cp_backend parallelism_config_sp_attn_implementation "
     "parallelism_config_sp_backend parallelism_config_sp_seq_length parallelism_config_sp_seq_length_is_variable "
     "deepspeed_exclusion_filter "},
    {"idle",
     "amax_compute_algorithm amax_history_length aws_access_key_id aws_secret_access_key command_file commands debug "
     "deepspeed_hostfile deepspeed_moe_layer_cls_names deepspeed_multinode_launcher enable_cpu_affinity env "
     "fp8_amax_compute_algo fp8_amax_history_len fp8_interval fp8_margin fp8_pad_inner_dim "
     "fp8_use_autocast_during_eval fsdp_cpu_ram_efficient_loading fsdp_state_dict_type fsdp_sync_module_states "
     "fsdp_use_orig_params gradient_clipping interval log_dir machine_rank main_process_ip main_process_port "
     "main_training_function margin max_restarts megatron_lm_attention_softmax_in_fp32 "
     "megatron_lm_calculate_per_token_loss megatron_lm_eod_mask_loss megatron_lm_gradient_clipping "
     "megatron_lm_no_load_optim megatron_lm_no_save_optim module monitor_interval mpirun_config mpirun_hostfile "
     "no_python no_tpu_cluster num_cpu_threads_per_process offload_optimizer_nvme_path offload_param_nvme_path "
     "pad_inner_dim quiet rdzv_backend rdzv_conf role same_network tee tpu_env tpu_name tpu_use_cluster tpu_use_sudo "
     "tpu_vm tpu_zone use_autocast_during_eval vm zero3_init_flag zero3_save_16bit_model "}};

}  // namespace

TEST_CASE("every flag of accelerate's launch, and every key of its YAML, is in one class") {
  std::set<std::string> names;
  for (const std::string& name : stored_names({"accelerate"}))
    names.insert(name.starts_with("--") ? name.substr(2) : name.substr(name.rfind('.') + 1));
  std::map<std::string, std::string> classes;
  for (const AccelerateClass& row : kAccelerateClasses) {
    std::istringstream members(row.members);
    for (std::string member; members >> member;) {
      CHECK_MESSAGE(classes.emplace(member, row.name).second, member);
      CHECK_MESSAGE(names.contains(member), member);
    }
  }
  for (const std::string& name : names) CHECK_MESSAGE(classes.contains(name), name);
}
