#include "planner/import/gpt_neox_table.h"

namespace planner::neox {
namespace {

// Keys that stand for a flag of Megatron-DeepSpeed.
constexpr OldName kFlags[] = {
    {"num_layers", "--num-layers"},
    {"hidden_size", "--hidden-size"},
    {"num_attention_heads", "--num-attention-heads"},
    {"num_kv_heads", "--num-key-value-heads"},
    {"seq_length", "--seq-length"},
    {"max_position_embeddings", "--max-position-embeddings"},
    {"make_vocab_size_divisible_by", "--make-vocab-size-divisible-by"},
    {"padded_vocab_size", "--padded-vocab-size"},
    {"use_qk_layernorm", "--qk-layernorm"},
    {"no_weight_tying", "--untie-embeddings-and-output-weights"},
    {"model_parallel_size", "--tensor-model-parallel-size"},
    {"sequence_parallel", "--sequence-parallel"},
    {"train_micro_batch_size_per_gpu", "--micro-batch-size"},
    {"train_iters", "--train-iters"},
    {"hidden_dropout", "--hidden-dropout"},
    {"attention_dropout", "--attention-dropout"},
    {"moe_top_k", "--topk"},
    {"checkpoint_activations", "--checkpoint-activations"},
    {"checkpoint_num_layers", "--checkpoint-num-layers"},
    {"checkpoint_in_cpu", "--checkpoint-in-cpu"},
    {"num_gpus", "--num_gpus"},
    {"include", "--include"},
};

// A fusion is off where its key does not switch it on.
constexpr FieldKey kFusions[] = {
    {"scaled_upper_triang_masked_softmax_fusion", "software.fusion.softmax", nullptr, {}, "false"},
    {"bias_gelu_fusion", "software.fusion.bias_activation", nullptr, {}, "false"},
    {"bias_dropout_fusion", "software.fusion.bias_dropout_add", nullptr, {}, "false"},
    {"rope_fusion", "software.fusion.rope", nullptr, {}, "false"},
};

constexpr const char* kRules[] = {
    // the model
    "intermediate_size", "expansion_factor", "mlp_multiple_of", "activation", "norm", "pos_emb", "attention_config",
    "sliding_window_width", "gpt_j_residual", "use_bias_in_mlp", "use_bias_in_attn_linear", "moe_num_experts",
    "moe_expert_interval", "tokenizer_type", "vocab_file",
    // the layout and the job
    "pipe_parallel_size", "num_nodes", "global_num_gpus", "precision", "fp16", "bf16", "train_batch_size",
    "gradient_accumulation_steps", "optimizer_type",
    // what DeepSpeed reads
    "zero_optimization", "optimizer", "communication_data_type",
    // fusions
    "scaled_masked_softmax_fusion", "layernorm_fusion", "rmsnorm_fusion", "use_flashattn_swiglu"};

constexpr const char* kLost[] = {
    // the model
    "param_sharing_style", "num_unique_layers", "soft_prompt_tuning", "sparsity_config", "sparse_attention",
    "gpt_j_tied", "use_mup", "compression_training", "fp16_lm_cross_entropy",
    // layers of Transformer Engine
    "te_columnparallel", "te_rowparallel", "te_layernorm_mlp", "te_mha", "te_fp8_mha",
    // how the step runs
    "partition_activations", "pipe_partition_method", "use_bnb_optimizer", "amp", "fp32_allreduce", "sparse_gradients",
    "gradient_noise_scale_cpu_offload", "curriculum_learning", "data_efficiency", "elasticity", "deepspeed_extra_args",
    "serve_model_weights"};

// The other fields of NeoXArgs.
constexpr const char* kIdle[] = {
    // norms, positions and initial values
    "layernorm_epsilon", "rms_norm_epsilon", "scalenorm_epsilon", "rpe_num_buckets", "rpe_max_distance",
    "opt_pos_emb_offset", "init_method_std", "apply_query_key_layer_scaling", "use_cpu_initialization",
    "attention_softmax_in_fp32", "rotary_pct", "rotary_emb_base", "rotary_save_freqs_buffer", "init_method",
    "output_layer_init_method", "gmlp_attn_dim", "use_bias_in_norms", "output_layer_parallelism", "dim_att",
    "head_size", "ffn_dim", "lazy_mpu_init", "short_seq_prob", "onnx_safe", "coord_check", "save_base_shapes",
    "base_shapes_file", "mup_init_scale", "mup_attn_temp", "mup_output_temp", "mup_embedding_mult",
    "mup_rp_embedding_mult", "mup_width_scale",
    // mixers and the router
    "mamba_selective_scan_fusion", "mamba_causal_conv_fusion", "mamba_inner_func_fusion", "mamba_selective_fp32_params",
    "mamba_use_bias_in_conv", "mamba_use_bias_in_linears", "moe_router_type", "moe_lbl_in_fp32", "moe_jitter_eps",
    // scales of fp8 and fp16
    "te_fp8_format", "te_fp8_wgrad", "te_fp8_amax_history_len", "te_fp8_amax_compute_algo", "te_fp8_margin",
    "hysteresis", "dynamic_loss_scale", "loss_scale", "loss_scale_window", "min_scale",
    // learning rates and losses
    "lr", "lr_decay_style", "lr_decay_iters", "lr_decay_fraction", "min_lr", "warmup", "override_lr_scheduler",
    "use_checkpoint_lr_scheduler", "dpo_fp32", "dpo_reference_free", "dpo_beta", "kto_fp32", "kto_desirable_weight",
    "kto_undesirable_weight", "z_loss", "kto_beta", "fp32_reinforce", "kl_impl", "kl_div_beta",
    "reinforce_leave_one_out", "weight_decay", "clip_grad", "scheduler", "prescale_gradients",
    "gradient_predivide_factor", "gradient_clipping", "curriculum_seqlen", "gradient_clip",
    "zero_allow_untested_optimizer",
    // logs and profiles
    "use_wandb", "wandb_group", "wandb_run_name", "wandb_team", "wandb_project", "wandb_host", "wandb_init_all_ranks",
    "git_hash", "log_dir", "tensorboard_dir", "use_comet", "comet_workspace", "comet_project", "comet_experiment_name",
    "comet_tags", "comet_others", "comet_experiment", "peak_theoretical_tflops", "log_interval", "log_grad_pct_zeros",
    "log_param_norm", "log_grad_norm", "log_optimizer_states", "log_gradient_noise_scale",
    "gradient_noise_scale_n_batches", "memory_profiling", "memory_profiling_path", "profile", "profile_step_start",
    "profile_step_stop", "profile_backward", "char_level_ppl", "steps_per_print", "wall_clock_breakdown", "dump_state",
    "flops_profiler", "autotuning", "tensorboard", "wandb", "csv_monitor", "comms_logger", "autotuning_run",
    // data
    "weight_server_port", "online_dataserver_ips", "online_dataserver_ports", "eod_mask_loss", "data_path",
    "use_shared_fs", "train_data_paths", "train_label_data_paths", "train_reward_data_paths", "test_data_paths",
    "test_label_data_paths", "test_reward_data_paths", "valid_data_paths", "valid_label_data_paths",
    "valid_reward_data_paths", "pos_train_data_paths", "neg_train_data_paths", "pos_train_label_data_paths",
    "neg_train_label_data_paths", "pos_valid_data_paths", "neg_valid_data_paths", "pos_valid_label_data_paths",
    "neg_valid_label_data_paths", "pos_test_data_paths", "neg_test_data_paths", "pos_test_label_data_paths",
    "neg_test_label_data_paths", "train_data_weights", "valid_data_weights", "test_data_weights",
    "weight_by_num_documents", "weighted_sampler_alpha", "data_impl", "pack_impl", "dataset_impl", "train_impl",
    "allow_chopped", "mmap_warmup", "s3_path", "s3_chunk_size", "split", "merge_file", "num_workers", "data_types",
    // checkpoints and evaluation
    "adlr_autoresume", "adlr_autoresume_interval", "seed", "iteration", "do_train", "do_valid", "do_test", "save",
    "load", "checkpoint_validation_with_forward_pass", "checkpoint_scale", "checkpoint_factor", "extra_save_iters",
    "no_save_optim", "no_save_rng", "no_load_optim", "no_load_rng", "finetune", "batch_size", "train_epochs",
    "eval_iters", "keep_last_n_checkpoints", "eval_interval", "exit_interval", "deepspeed_activation_checkpointing",
    "contiguous_checkpointing", "recompute", "eval_results_prefix", "eval_tasks", "activation_checkpointing",
    "checkpoint",
    // generation
    "text_gen_type", "precompute_model_name", "temperature", "top_p", "top_k", "return_logits", "maximum_tokens",
    "prompt_end", "sample_input_file", "sample_output_file", "num_samples",
    // of DeepSpeed, whose section says it
    "zero_stage", "zero_reduce_scatter", "zero_contiguous_gradients", "zero_reduce_bucket_size",
    "zero_allgather_bucket_size", "synchronize_each_layer",
    // launching
    "is_pipe_parallel", "world_size", "fused_kernels_build_path", "distributed_backend", "local_rank", "rank",
    "deepscale", "deepscale_config", "deepspeed_mpi", "deepspeed_slurm", "user_script", "config_files", "deepspeed",
    "hostfile", "exclude", "master_port", "master_addr", "launcher", "force_multi", "no_ssh_check", "comment",
    "account"};

constexpr const char* kLaunchFlags[] = {"--num_gpus", "--num_nodes", "--include"};

}  // namespace

const KeyTable& key_table() {
  static constexpr KeyTable kTable{kFusions, kRules, kLost, kIdle, kLaunchFlags, {}, kFlags, {}, "GPT-NeoX"};
  return kTable;
}

}  // namespace planner::neox
