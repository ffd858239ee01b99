// What becomes of each field: the overrides of NeMo.
#include "tests/planner/export/export_sample.h"

namespace {

constexpr ExportCase kCases[] = {
    {"parallelism.tp=4", "+model.tensor_model_parallel_size=4"},
    {"parallelism.pp=4", "+model.pipeline_model_parallel_size=4"},
    {"parallelism.pp=1", "+model.pipeline_model_parallel_size=1"},
    {"parallelism.cp=2", "+model.context_parallel_size=2 +model.cp_comm_type=p2p"},
    {"parallelism.cp=2; software.context=all-to-all", "+model.context_parallel_size=2 +model.cp_comm_type=a2a"},
    {"parallelism.cp=2; software.context=all-to-all; software.attention=flash2",
     "+model.use_flash_attention=true +model.context_parallel_size=2 +model.cp_comm_type=a2a"},
    {"parallelism.cp=2; software.attention=flash2",
     "+model.use_flash_attention=true +model.context_parallel_size=2 +model.cp_comm_type=p2p"},
    {"parallelism.cp=2; software.context=all-to-all; parallelism.sequence_parallel=true",
     "+model.context_parallel_size=2 +model.cp_comm_type=a2a +model.sequence_parallel=true"},
    {"parallelism.interleave=2", "+model.overlap_p2p_comm=true +model.virtual_pipeline_model_parallel_size=2"},
    {"parallelism.interleave=5; parallelism.pp=4",
     "+model.overlap_p2p_comm=true +model.pipeline_model_parallel_size=4 "
     "+model.virtual_pipeline_model_parallel_size=5"},
    {"parallelism.stages=[19, 21]", "refused: parallelism.stages: [19, 21]"},
    {"parallelism.pp=4; parallelism.stages=[8, 12, 12, 8]", "refused: parallelism.stages: [8, 12, 12, 8]"},
    {"parallelism.pp=4; parallelism.stages=[9, 10, 11, 10]", "refused: parallelism.stages: [9, 10, 11, 10]"},
    {"parallelism.pp=4; parallelism.interleave=2; parallelism.stages=[3, 6, 5, 5, 5, 5, 5, 6]",
     "refused: parallelism.stages: [3, 6, 5, 5, 5, 5, 5, 6]"},
    {"parallelism.pp=2; parallelism.interleave=2; parallelism.stages=[8, 12, 12, 8]",
     "refused: parallelism.stages: [8, 12, 12, 8]"},
    {"parallelism.schedule=gpipe", "refused: parallelism.schedule: gpipe"},
    {"parallelism.schedule=zb-h1", "refused: parallelism.schedule: zb-h1"},
    {"parallelism.schedule=zb-v; parallelism.interleave=2", "refused: parallelism.schedule: zb-v"},
    {"software.schedule=gpipe", "refused: software.schedule: gpipe"},
    {"parallelism.sequence_parallel=true", "+model.sequence_parallel=true"},
    {"parallelism.order=tp-cp-ep-pp-dp", "+model.use_tp_pp_dp_mapping=true"},
    {"parallelism.order=dp-tp-cp-ep-pp", "refused: parallelism.order: dp-tp-cp-ep-pp"},
    {"parallelism.zero=0",
     "+model.optim.name=fused_adam -model.optim.grad_sync_dtype=fp32 -model.optim.overlap_grad_sync=true "
     "-model.optim.overlap_param_sync=true"},
    {"parallelism.zero=2",
     "+model.optim.name=fused_adam +model.fsdp=true +model.fsdp_sharding_strategy=grad "
     "+model.fsdp_grad_reduce_dtype=32 "
     "-model.optim.grad_sync_dtype=fp32 -model.optim.overlap_grad_sync=true -model.optim.overlap_param_sync=true"},
    {"parallelism.zero=3; parallelism.pp=1",
     "+model.optim.name=fused_adam +model.fsdp=true +model.fsdp_sharding_strategy=full "
     "+model.fsdp_grad_reduce_dtype=32 "
     "+model.pipeline_model_parallel_size=1 -model.optim.grad_sync_dtype=fp32 -model.optim.overlap_grad_sync=true "
     "-model.optim.overlap_param_sync=true"},
    {"parallelism.zero=3; software.fsdp=true",
     "+model.optim.name=fused_adam +model.fsdp=true +model.fsdp_sharding_strategy=full "
     "+model.fsdp_grad_reduce_dtype=32 "
     "-model.optim.grad_sync_dtype=fp32 -model.optim.overlap_grad_sync=true -model.optim.overlap_param_sync=true"},
    {"parallelism.zero=2; software.fsdp=true",
     "+model.optim.name=fused_adam +model.fsdp=true +model.fsdp_sharding_strategy=grad "
     "+model.fsdp_grad_reduce_dtype=32 "
     "-model.optim.grad_sync_dtype=fp32 -model.optim.overlap_grad_sync=true -model.optim.overlap_param_sync=true"},
    {"parallelism.zero_group=2", "refused: parallelism.zero_group: 2"},
    {"parallelism.zero=3; parallelism.pp=1; parallelism.zero_group=2", "refused: parallelism.zero_group: 2"},
    {"parallelism.servers=2; parallelism.zero=0", "refused: parallelism.servers: 2"},
    {"parallelism.recompute=full",
     "+model.activations_checkpoint_granularity=full +model.activations_checkpoint_method=uniform "
     "+model.activations_checkpoint_num_layers=1"},
    {"parallelism.recompute=full; parallelism.recompute_every=2",
     "+model.activations_checkpoint_granularity=full +model.activations_checkpoint_method=uniform "
     "+model.activations_checkpoint_num_layers=2"},
    {"parallelism.recompute=selective", "+model.activations_checkpoint_granularity=selective"},
    {"parallelism.recompute=selective; software.selective=expert-activation",
     "refused: software.selective: expert-activation"},
    {"parallelism.recompute=selective; software.selective=latent-up-and-cheap",
     "refused: software.selective: latent-up-and-cheap"},
    {"parallelism.recompute=selective; software.selective=mlp-and-norm", "refused: software.selective: mlp-and-norm"},
    {"parallelism.recompute=selective; software.selective=every-second-layer",
     "refused: software.selective: every-second-layer"},
    {"parallelism.offload.optimizer=1", "refused: parallelism.offload.optimizer: 1"},
    {"parallelism.offload.optimizer=0.5", "refused: parallelism.offload.optimizer: 0.5"},
    {"parallelism.offload.weights=1", "refused: parallelism.offload.weights: 1"},
    {"parallelism.offload.weights=1; parallelism.offload.optimizer=1",
     "refused: parallelism.offload.optimizer: 1 |parallelism.offload.weights: 1"},
    {"parallelism.offload.weights=1; parallelism.zero=3; parallelism.pp=1", "refused: parallelism.offload.weights: 1"},
    {"parallelism.offload.optimizer=0.5; parallelism.zero=3; parallelism.pp=1",
     "refused: parallelism.offload.optimizer: 0.5"},
    {"parallelism.offload.activations=0.5", "refused: parallelism.offload.activations: 0.5"},
    {"parallelism.offload.activations=0.33", "refused: parallelism.offload.activations: 0.33"},
    {"parallelism.microbatch=2", "+model.micro_batch_size=2"},
    {"parallelism.microbatch=2; parallelism.pp=1", "+model.micro_batch_size=2 +model.pipeline_model_parallel_size=1"},
    {"job.global_batch=128", "+model.global_batch_size=128"},
    {"job.sequence=1024", "+model.encoder_seq_length=1024 +model.data.seq_length=1024"},
    {"job.document=512", "refused: job.document: 512"},
    {"job.tokens=1e9", "+trainer.max_steps=7630"},
    {"job.precision=fp32", "+trainer.precision=32 +model.megatron_amp_O2=false"},
    {"job.precision=tf32", "refused: job.precision: tf32"},
    {"job.precision=fp16", "+trainer.precision=16"},
    {"job.precision=fp16; software.reduce_bytes=2", "+trainer.precision=16 +model.optim.grad_sync_dtype=fp16"},
    {"job.precision=fp8", "+model.fp8=true +model.fp8_hybrid=true"},
    {"job.precision=fp8; software.scaling=current", "refused: software.scaling: current"},
    {"job.precision=fp8; software.scaling=block", "refused: software.scaling: block"},
    {"cluster.use=dgx-b200; job.precision=mxfp8", "refused: job.precision: mxfp8"},
    {"cluster.use=dgx-b200; job.precision=nvfp4", "refused: job.precision: nvfp4"},
    {"job.precision=fp8; software.narrow_attention=true", "refused: software.narrow_attention: true"},
    {"job.precision=fp8; software.narrow_head=true", "refused: software.narrow_head: true"},
    {"job.precision=fp8; software.gather_bytes=1; software.scaling=current",
     "refused: software.scaling: current |software.gather_bytes: 1"},
    {"job.optimizer=sgd", "refused: parallelism.zero: 1"},
    {"job.optimizer=sgd; parallelism.zero=0",
     "+model.optim.name=sgd -model.optim.grad_sync_dtype=fp32 -model.optim.overlap_grad_sync=true "
     "-model.optim.overlap_param_sync=true"},
    {"job.optimizer=lamb", "refused: parallelism.zero: 1 |job.optimizer: lamb"},
    {"job.phase=forward", "refused: job.phase: forward"},
    {"job.lora.rank=8",
     "+model.peft.peft_scheme=lora +model.peft.lora_tuning.adapter_dim=8 "
     "+model.peft.lora_tuning.target_modules=[attention_qkv, attention_dense]"},
    {"job.lora.rank=8; job.lora.targets=all",
     "+model.peft.peft_scheme=lora +model.peft.lora_tuning.adapter_dim=8 +model.peft.lora_tuning.target_modules=[all]"},
    {"model.layers=32", "+model.num_layers=32"},
    {"model.kv_heads=8", "+model.num_query_groups=8"},
    {"model.head_dim=64", "+model.kv_channels=64"},
    {"model.vocab=51201", "+model.override_vocab_size=51201"},
    {"model.vocab=51202", "+model.override_vocab_size=51202"},
    {"model.positions=0; model.rotary=true", "+model.position_embedding_type=rope +model.apply_rope_fusion=true"},
    {"model.positions=0", "+model.position_embedding_type=none"},
    {"model.rotary=true", "refused: model.positions: 2048"},
    {"model.token_types=2", "refused: model.token_types: 2"},
    {"model.gated_mlp=true; model.activation=silu", "+model.activation=fast-swiglu"},
    {"model.gated_mlp=true", "+model.activation=geglu"},
    {"model.activation=squared-relu", "+model.activation=squared-relu"},
    {"model.activation=relu", "refused: model.activation: relu"},
    {"model.tied_embeddings=false", "+model.share_embeddings_and_output_weights=false"},
    {"model.causal=false", "refused: model.causal: false"},
    {"model.bias=false", "+model.bias=false"},
    {"model.bias=false; model.qkv_bias=true", "+model.bias=false +model.add_qkv_bias=true"},
    {"model.embedding_norm=true", "refused: model.embedding_norm: true"},
    {"model.parallel_block=true", "refused: model.parallel_block: true"},
    {"model.norm=rmsnorm", "+model.normalization=rmsnorm"},
    {"model.head=mlm", "refused: model.head: mlm"},
    {"model.dropout=0", "+model.hidden_dropout=0 +model.attention_dropout=0"},
    {"model.qk_norm=true", "+model.qk_layernorm=true"},
    {"model.post_norm=true", "refused: model.post_norm: true"},
    {"model.clamp=7", "+model.activation_func_clamp_value=7"},
    {"model.sinks=true", "refused: model.sinks: true"},
    {"model.mtp=1; parallelism.pp=1", "refused: model.mtp: 1"},
    {"model.predicted=0.15", "refused: model.predicted: 0.15"},
    {"model.latent.rank=512; model.latent.query_rank=256", "refused: model.latent.rank: 512"},
    {"model.window.size=128", "refused: model.window.size: 128"},
    {"model.window.size=128; model.window.global_every=4", "refused: model.window.size: 128"},
    {"parallelism.sequence_parallel=true; model.experts.count=8",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.top_k=2; parallelism.ep=2",
     "+model.expert_model_parallel_size=2 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=2 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; parallelism.etp=2",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=2 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.ffn=1024",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=1024 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.moe_shared_expert_overlap=false +model.num_moe_experts=8 +model.moe_router_topk=1 "
     "+model.moe_ffn_hidden_size=20480 +model.moe_shared_expert_intermediate_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1; "
     "model.experts.shared_gate=true",
     "refused: model.experts.shared_gate: true"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.first_dense=4",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[0, 0, "
     "0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.every=2",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[0, 1, "
     "0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.first_dense=3; model.experts.every=2",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[0, 0, "
     "0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, "
     "0]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.groups=4; "
     "model.experts.groups_per_token=2",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1] +model.moe_router_num_groups=4 +model.moe_router_group_topk=2"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; job.routing.capacity=1.5",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_expert_capacity_factor=1.5 +model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false "
     "+model.moe_permute_fusion=false +model.num_moe_experts=8 +model.moe_router_topk=1 "
     "+model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.dispatch=all-gather",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=allgather +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.dispatch=per-node",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=flex +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.grouped=true",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=true +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.permute=true",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=true "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.overlap=true",
     "refused: software.experts.overlap: true"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1; "
     "software.experts.overlap_shared=true",
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.moe_shared_expert_overlap=true +model.num_moe_experts=8 +model.moe_router_topk=1 "
     "+model.moe_ffn_hidden_size=20480 +model.moe_shared_expert_intermediate_size=20480 +model.moe_layer_freq=[1, 1, "
     "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1]"},
    {"software.attention=flash2", "+model.use_flash_attention=true"},
    {"software.attention=flash3", "refused: software.attention: flash3"},
    {"software.attention=unfused", "refused: software.attention: unfused"},
    {"software.attention=cudnn-fused", "refused: software.attention: cudnn-fused"},
    {"software.attention=flash1", "refused: software.attention: flash1"},
    {"software.attention=triton-flash", "refused: software.attention: triton-flash"},
    {"software.fusion.qkv=false", "refused: software.fusion.qkv: false"},
    {"software.fusion.softmax=false", "+model.masked_softmax_fusion=false"},
    {"software.fusion.bias_activation=false", "+model.bias_activation_fusion=false"},
    {"software.fusion.bias_activation=false; model.gated_mlp=true; model.activation=silu",
     "+model.activation=fast-swiglu +model.bias_activation_fusion=false"},
    {"software.fusion.bias_dropout_add=false", "+model.bias_dropout_add_fusion=false"},
    {"software.fusion.rope=false; model.positions=0; model.rotary=true",
     "+model.position_embedding_type=rope +model.apply_rope_fusion=false"},
    {"software.fusion.cross_entropy=true", "+model.cross_entropy_loss_fusion=true"},
    {"software.fusion.gradient=false", "+model.gradient_accumulation_fusion=false"},
    {"software.overlap.tensor=true", "+model.ub_tp_comm_overlap=true"},
    {"software.fused_collectives=ideal", "refused: software.fused_collectives: ideal"},
    {"software.overlap.gradients=false", "+model.optim.overlap_grad_sync=false"},
    {"software.overlap.parameters=false", "+model.optim.overlap_param_sync=false"},
    {"software.overlap.pipeline=false; parallelism.interleave=2",
     "+model.overlap_p2p_comm=false +model.virtual_pipeline_model_parallel_size=2"},
    {"software.scatter_gather=false", "refused: software.scatter_gather: false"},
    {"software.reduce_scatter=false", "refused: software.reduce_scatter: false"},
    {"software.bucket_bytes=160 MB", "refused: software.bucket_bytes: 160 MB"},
    {"software.reduce_each_microbatch=true", "refused: software.reduce_each_microbatch: true"},
    {"software.reduce_bytes=2", "+model.optim.grad_sync_dtype=bf16"},
    {"software.reduce_bytes=3", "refused: software.reduce_bytes: 3"},
    {"software.graphs=step", "refused: software.graphs: step"},
    {"software.graphs=static-parts", "refused: software.graphs: static-parts"},
    {"cluster.gpus=24; cluster.gpus_per_node=16; parallelism.dp=6; job.global_batch=96", "refused: parallelism.dp: 6"},
};

}  // namespace

TEST_CASE("each field is a setting of nemo, or refused by name") { check_outcomes("nemo", kCases); }
