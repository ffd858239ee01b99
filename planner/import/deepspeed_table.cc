#include "planner/import/deepspeed_config.h"

namespace planner::deepspeed {
namespace {

constexpr megatron::ProgramWord kGradientTypes[] = {{"4", "fp32"}, {"2", "fp16"}, {"2", "bf16"}};
constexpr FieldKey kFieldKeys[] = {
    {"communication_data_type", "software.reduce_bytes", nullptr, kGradientTypes},
    {"zero_optimization.stage", "parallelism.zero"},
    {"zero_optimization.overlap_comm", "software.overlap.gradients"},
    {"zero_optimization.reduce_scatter", "software.reduce_scatter"},
    {"zero_optimization.stage3_param_persistence_threshold", "software.persistence"},
    {"zero_optimization.zero_quantized_weights", "software.gather_bytes", "1"},
    {"tensor_parallel.autotp_size", "parallelism.tp"},
    {"sequence_parallel_size", "parallelism.cp"},
};

constexpr const char* kRuleKeys[] = {
    // batches, types, optimizer
    "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "bf16.enabled", "fp16.enabled",
    "optimizer.type", "data_types.grad_accum_dtype", "bf16.bf16_master_weights_and_grads", "bf16.bf16_optimizer_states",
    // sharding, offloading and recompute
    "zero_optimization.reduce_bucket_size", "zero_optimization.mics_shard_size", "zero_optimization.cpu_offload",
    "zero_optimization.cpu_offload_param", "zero_optimization.offload_optimizer.device",
    "zero_optimization.offload_optimizer.ratio", "zero_optimization.offload_param.device", "activation_checkpointing",
    "activation_checkpointing.cpu_checkpointing"};

constexpr RefusedKey kRefusedKeys[] = {
    // the model
    {"sparse_attention", "attends to blocks of keys"},
    {"progressive_layer_drop", "drops layers at random"},
    {"compression_training", "prunes or quantizes the model"},
    {"quantize_training", "quantizes the model"},
    {"weight_quantization", "quantizes the model"},
    {"hybrid_engine", "alternates training and inference"},
    // types
    {"amp", "mixes types as apex does", "\"fp16\": {\"enabled\": true}"},
    {"torch_autocast", "keeps weights in fp32", "\"bf16\": {\"enabled\": true}"},
    {"data_types.param_dtype", "sets the type of weights"},
    {"fp16.fp16_master_weights_and_grads", "keeps states in 16 bits"},
    // which ranks hold what, and batches
    {"elasticity", "chooses the batch size and the number of GPUs"},
    {"expert_parallel", "shards experts over ranks"},
    {"tensor_parallel.tp.tp_size", "shards matrices over ranks", "\"tensor_parallel\": {\"autotp_size\": N} does"},
    {"pipeline.stages", "divides the model into stages"},
    {"pipeline.activation_checkpoint_interval", "recomputes layers"},
    // ZeRO, and what a compiler moves
    {"zero_optimization.zero_hpz_partition_size", "keeps a second copy of weights in each node"},
    {"zero_optimization.zero_quantized_nontrainable_weights", "quantizes frozen weights"},
    {"zero_optimization.zenflow", "updates a part of the weights on the host"},
    {"zero_optimization.save_muon_momentum_buffer_in_memory", "keeps the momentum out of the swapped states"},
    {"zero_optimization.offload_optimizer.super_offload", "updates on host and device"},
    {"compile.free_activation", "chooses which activations to keep"},
    {"compile.offload_activation", "moves activations to the host"},
    {"compile.offload_opt_states", "moves states to the host"},
    {"compile.offload_parameters", "moves weights to the host"}};

constexpr const char* kLostKeys[] = {
    // how the step runs
    "pipeline.partition", "sparse_gradients", "disable_allgather", "curriculum_learning", "data_efficiency",
    "graph_harvesting", "compile.deepcompile", "use_data_before_expert_parallelism", "tensor_parallel.tp_overlap_comm",
    // variants of ZeRO
    "zero_optimization.zero_quantized_gradients", "zero_optimization.zeropp_loco_param",
    "zero_optimization.mics_hierarchical_params_gather", "zero_optimization.stage3_use_all_reduce_for_fetch_params",
    "zero_optimization.stage3_allgather_sequential"};

constexpr const char* kIdleKeys[] = {
    // learning rate, scales, clipping
    "gradient_clipping", "scheduler", "optimizer", "prescale_gradients", "gradient_predivide_factor",
    "gradient_allreduce_op", "managed_gradient_accumulation", "zero_allow_untested_optimizer",
    "zero_force_ds_cpu_optimizer", "fp16", "bf16", "data_types",
    // data, logs, checkpoints, profiles
    "steps_per_print", "wall_clock_breakdown", "memory_breakdown", "dump_state", "tensorboard", "wandb", "comet",
    "csv_monitor", "flops_profiler", "comms_logger", "autotuning", "checkpoint", "load_universal_checkpoint",
    "log_level", "timers", "datastates_ckpt", "dataloader_drop_last", "use_node_local_storage", "vocabulary_size",
    "eigenvalue", "aio", "nebula", "seed", "seq_parallel_communication_data_type", "data_parallel_size",
    "activation_checkpointing.profile", "tensor_parallel",
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
    "zero_optimization.stage3_module_granularity_threshold", "zero_optimization.leaf_module",
    "zero_optimization.pipeline_loading_checkpoint", "zero_optimization.memory_efficient_linear",
    "zero_optimization.override_module_apply", "zero_optimization.log_trace_cache_warnings",
    "zero_optimization.enable_sanity_checks", "zero_optimization.legacy_stage1", "zero_optimization.offload_optimizer",
    "zero_optimization.offload_param",
    // how DeepSpeed's own pipeline and compiler work
    "pipeline", "compile"};

constexpr OldName kOldNames[] = {{"bfloat16.enabled", "bf16.enabled"}};

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
  static constexpr KeyTable kTable{kFieldKeys, kRuleKeys,  kLostKeys, kIdleKeys,
                                   kRuleFlags, kLostFlags, kOldNames, kRefusedKeys};
  return kTable;
}

}  // namespace planner::deepspeed
