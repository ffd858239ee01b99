#include "planner/import/deepspeed_config.h"

namespace planner::deepspeed {
namespace {

constexpr FieldKey kFieldKeys[] = {
    {"zero_optimization.stage", "parallelism.zero"},
    {"zero_optimization.reduce_scatter", "software.reduce_scatter", true},
    {"zero_optimization.stage3_param_persistence_threshold", "software.persistence"},
    {"tensor_parallel.autotp_size", "parallelism.tp"},
};

constexpr const char* kRuleKeys[] = {
    // batches, types, optimizer
    "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "bf16.enabled", "fp16.enabled",
    "optimizer.type", "communication_data_type",
    // sharding, offloading and recompute
    "zero_optimization.overlap_comm", "zero_optimization.reduce_bucket_size", "zero_optimization.mics_shard_size",
    "zero_optimization.cpu_offload", "zero_optimization.offload_optimizer.device",
    "zero_optimization.offload_optimizer.ratio", "zero_optimization.offload_param.device", "activation_checkpointing",
    "activation_checkpointing.cpu_checkpointing"};

constexpr const char* kLostKeys[] = {
    // how the step runs
    "amp", "torch_autocast", "pipeline", "sparse_attention", "sparse_gradients", "disable_allgather",
    "sequence_parallel_size", "progressive_layer_drop", "curriculum_learning", "data_efficiency", "elasticity",
    "compression_training", "quantize_training", "graph_harvesting", "compile", "hybrid_engine", "data_types",
    // types of states
    "fp16.fp16_master_weights_and_grads", "bf16.bf16_master_weights_and_grads", "bf16.bf16_optimizer_states",
    // variants of ZeRO
    "zero_optimization.cpu_offload_param", "zero_optimization.zero_quantized_weights",
    "zero_optimization.zero_quantized_nontrainable_weights", "zero_optimization.zero_quantized_gradients",
    "zero_optimization.zeropp_loco_param", "zero_optimization.zero_hpz_partition_size", "zero_optimization.zenflow",
    "zero_optimization.stage3_use_all_reduce_for_fetch_params", "zero_optimization.stage3_allgather_sequential"};

constexpr const char* kIdleKeys[] = {
    // learning rate, scales, clipping
    "gradient_clipping", "scheduler", "optimizer", "prescale_gradients", "gradient_predivide_factor",
    "zero_allow_untested_optimizer", "zero_force_ds_cpu_optimizer", "fp16", "bf16",
    // data, logs, checkpoints, profiles
    "steps_per_print", "wall_clock_breakdown", "memory_breakdown", "dump_state", "tensorboard", "wandb", "comet",
    "csv_monitor", "flops_profiler", "comms_logger", "autotuning", "checkpoint", "load_universal_checkpoint",
    "dataloader_drop_last", "use_node_local_storage", "vocabulary_size", "eigenvalue", "aio", "nebula", "seed",
    "seq_parallel_communication_data_type", "activation_checkpointing.profile", "tensor_parallel",
    // activations are split over tensor ranks, and buffers prepared: neither without a model of Megatron-LM
    "activation_checkpointing.partition_activations", "activation_checkpointing.contiguous_memory_optimization",
    "activation_checkpointing.number_checkpoints", "activation_checkpointing.synchronize_checkpoint_boundary",
    // buffers, pinned memory, and how much stays gathered: habits of the profile
    "zero_optimization.contiguous_gradients", "zero_optimization.allgather_partitions",
    "zero_optimization.allgather_bucket_size", "zero_optimization.use_multi_rank_bucket_allreduce",
    "zero_optimization.round_robin_gradients", "zero_optimization.ignore_unused_parameters",
    "zero_optimization.load_from_fp32_weights", "zero_optimization.elastic_checkpoint",
    "zero_optimization.cpu_offload_use_pin_memory", "zero_optimization.sub_group_size",
    "zero_optimization.stage3_prefetch_bucket_size", "zero_optimization.stage3_max_live_parameters",
    "zero_optimization.stage3_max_reuse_distance", "zero_optimization.stage3_model_persistence_threshold",
    "zero_optimization.stage3_gather_16bit_weights_on_model_save",
    "zero_optimization.stage3_gather_fp16_weights_on_model_save",
    "zero_optimization.stage3_module_granularity_threshold", "zero_optimization.mics_hierarchical_params_gather",
    "zero_optimization.memory_efficient_linear", "zero_optimization.override_module_apply",
    "zero_optimization.log_trace_cache_warnings", "zero_optimization.enable_sanity_checks",
    "zero_optimization.legacy_stage1", "zero_optimization.offload_optimizer", "zero_optimization.offload_param"};

constexpr const char* kRuleFlags[] = {
    // launchers
    "--num_gpus", "--num_nodes", "--nproc_per_node", "--nproc-per-node", "--nnodes", "--num_processes", "--include",
    // the Trainer
    "--per_device_train_batch_size", "--gradient_accumulation_steps", "--bf16", "--fp16", "--optim",
    "--gradient_checkpointing", "--max_steps", "--max_seq_length", "--max_length", "--block_size", "--model_max_length",
    "--cutoff_len", "--model_name_or_path", "--config_name",
    // adapters, as PEFT, TRL, LLaMA-Factory and others name them
    "--use_peft", "--lora_r", "--lora_rank", "--lora_target_modules", "--lora_target", "--finetuning_type",
    "--load_in_4bit", "--load_in_8bit", "--quantization_bit"};

constexpr const char* kLostFlags[] = {"--fsdp", "--torch_compile",    "--packing",
                                      "--tf32", "--use_liger_kernel", "--adafactor"};

}  // namespace

const KeyTable& key_table() {
  static constexpr KeyTable kTable{kFieldKeys, kRuleKeys, kLostKeys, kIdleKeys, kRuleFlags, kLostFlags, {}};
  return kTable;
}

}  // namespace planner::deepspeed
