// What becomes of each field: the Python script of NeMo 2.
#include "tests/planner/export/export_sample.h"

namespace {

constexpr ExportCase kCases[] = {
    {"parallelism.tp=4", "+strategy.tensor_model_parallel_size=4"},
    {"parallelism.pp=4", "+strategy.pipeline_model_parallel_size=4"},
    {"parallelism.pp=1", "+strategy.pipeline_model_parallel_size=1"},
    {"parallelism.cp=2", "+strategy.context_parallel_size=2 +model.cp_comm_type=p2p"},
    {"parallelism.cp=2; software.context=all-to-all", "+strategy.context_parallel_size=2 +model.cp_comm_type=a2a"},
    {"parallelism.cp=2; software.context=all-to-all; software.attention=flash2",
     "+strategy.context_parallel_size=2 +model.attention_backend=AttnBackend.flash +model.cp_comm_type=a2a"},
    {"parallelism.cp=2; software.attention=flash2",
     "+strategy.context_parallel_size=2 +model.attention_backend=AttnBackend.flash +model.cp_comm_type=p2p"},
    {"parallelism.cp=2; software.context=all-to-all; parallelism.sequence_parallel=true",
     "+strategy.context_parallel_size=2 +strategy.sequence_parallel=true +model.cp_comm_type=a2a"},
    {"parallelism.interleave=2",
     "+strategy.virtual_pipeline_model_parallel_size=2 +model.overlap_p2p_comm=true +model.batch_p2p_comm=false"},
    {"parallelism.interleave=5; parallelism.pp=4",
     "+strategy.pipeline_model_parallel_size=4 +strategy.virtual_pipeline_model_parallel_size=5 "
     "+model.overlap_p2p_comm=true +model.batch_p2p_comm=false"},
    {"parallelism.stages=[19, 21]", "+strategy.pipeline_model_parallel_layout=Et*19|t*21L"},
    {"parallelism.pp=4; parallelism.stages=[8, 12, 12, 8]",
     "+strategy.pipeline_model_parallel_size=4 +strategy.pipeline_model_parallel_layout=Et*8|(t*12|)*2t*8L"},
    {"parallelism.pp=4; parallelism.stages=[9, 10, 11, 10]",
     "+strategy.pipeline_model_parallel_size=4 +strategy.pipeline_model_parallel_layout=Et*9|t*10|t*11|t*10L"},
    {"parallelism.pp=4; parallelism.interleave=2; parallelism.stages=[3, 6, 5, 5, 5, 5, 5, 6]",
     "+strategy.pipeline_model_parallel_size=4 +strategy.virtual_pipeline_model_parallel_size=2 "
     "+strategy.pipeline_model_parallel_layout=Et*3|t*6|(t*5|)*5t*6L +model.overlap_p2p_comm=true "
     "+model.batch_p2p_comm=false"},
    {"parallelism.pp=2; parallelism.interleave=2; parallelism.stages=[8, 12, 12, 8]",
     "+strategy.virtual_pipeline_model_parallel_size=2 +strategy.pipeline_model_parallel_layout=Et*8|(t*12|)*2t*8L "
     "+model.overlap_p2p_comm=true +model.batch_p2p_comm=false"},
    {"parallelism.schedule=gpipe", "refused: parallelism.schedule: gpipe"},
    {"parallelism.schedule=zb-h1", "refused: parallelism.schedule: zb-h1"},
    {"parallelism.schedule=zb-v; parallelism.interleave=2", "refused: parallelism.schedule: zb-v"},
    {"software.schedule=gpipe", "refused: software.schedule: gpipe"},
    {"parallelism.sequence_parallel=true", "+strategy.sequence_parallel=true"},
    {"parallelism.order=tp-cp-ep-pp-dp", "+strategy.use_tp_pp_dp_mapping=true"},
    {"parallelism.order=dp-tp-cp-ep-pp", "refused: parallelism.order: dp-tp-cp-ep-pp"},
    {"parallelism.zero=0",
     "+ddp.use_distributed_optimizer=false +optimizer.use_distributed_optimizer=false -ddp.overlap_param_gather=true"},
    {"parallelism.zero=2", "refused: parallelism.zero: 2"},
    {"parallelism.zero=3; parallelism.pp=1", "refused: parallelism.zero: 3"},
    {"parallelism.zero=3; software.fsdp=true", "refused: parallelism.zero: 3"},
    {"parallelism.zero=2; software.fsdp=true", "refused: parallelism.zero: 2"},
    {"parallelism.zero_group=2", "+strategy.num_distributed_optimizer_instances=2"},
    {"parallelism.zero_group=2; parallelism.cp=2",
     "+strategy.context_parallel_size=2 +strategy.num_distributed_optimizer_instances=2 +model.cp_comm_type=p2p"},
    {"parallelism.zero_group=4", ""},
    {"parallelism.zero=3; parallelism.pp=1; parallelism.zero_group=2",
     "refused: parallelism.zero: 3 |parallelism.zero_group: 2"},
    {"parallelism.servers=2; parallelism.zero=0", "refused: parallelism.servers: 2"},
    {"parallelism.recompute=full",
     "+model.recompute_granularity=full +model.recompute_method=uniform +model.recompute_num_layers=1"},
    {"parallelism.recompute=full; parallelism.recompute_every=2",
     "+model.recompute_granularity=full +model.recompute_method=uniform +model.recompute_num_layers=2"},
    {"parallelism.recompute=selective",
     "+model.recompute_granularity=selective +model.recompute_modules=[\"core_attn\"]"},
    {"parallelism.recompute=selective; software.selective=expert-activation",
     "+model.recompute_granularity=selective +model.recompute_modules=[\"moe_act\"]"},
    {"parallelism.recompute=selective; software.selective=latent-up-and-cheap",
     "+model.recompute_granularity=selective +model.recompute_modules=[\"mla_up_proj\", \"layernorm\", \"moe_act\"]"},
    {"parallelism.recompute=selective; software.selective=mlp-and-norm", "refused: software.selective: mlp-and-norm"},
    {"parallelism.recompute=selective; software.selective=every-second-layer",
     "refused: software.selective: every-second-layer"},
    {"parallelism.offload.optimizer=1",
     "+optimizer.optimizer_cpu_offload=true +optimizer.optimizer_offload_fraction=1"},
    {"parallelism.offload.optimizer=0.5",
     "+optimizer.optimizer_cpu_offload=true +optimizer.optimizer_offload_fraction=0.5"},
    {"parallelism.offload.weights=1", "refused: parallelism.offload.weights: 1"},
    {"parallelism.offload.weights=1; parallelism.offload.optimizer=1", "refused: parallelism.offload.weights: 1"},
    {"parallelism.offload.weights=1; parallelism.zero=3; parallelism.pp=1",
     "refused: parallelism.zero: 3 |parallelism.offload.weights: 1"},
    {"parallelism.offload.optimizer=0.5; parallelism.zero=3; parallelism.pp=1", "refused: parallelism.zero: 3"},
    {"parallelism.offload.activations=0.5", "+model.cpu_offloading=true +model.cpu_offloading_num_layers=10"},
    {"parallelism.offload.activations=0.33", "refused: parallelism.offload.activations: 0.33"},
    {"parallelism.microbatch=2", "+data.micro_batch_size=2"},
    {"parallelism.microbatch=2; parallelism.pp=1", "+data.micro_batch_size=2 +strategy.pipeline_model_parallel_size=1"},
    {"job.global_batch=128", "+data.global_batch_size=128"},
    {"job.sequence=1024", "refused: model.positions: 2048"},
    {"job.document=512", "refused: job.document: 512"},
    {"job.tokens=1e9", "+trainer.max_steps=7630"},
    {"job.precision=fp32",
     "+precision.precision=32 +precision.params_dtype=torch.float32 +precision.pipeline_dtype=torch.float32"},
    {"job.precision=tf32", "refused: job.precision: tf32"},
    {"job.precision=fp16",
     "+precision.precision=16-mixed +precision.params_dtype=torch.float16 +precision.pipeline_dtype=torch.float16"},
    {"job.precision=fp16; software.reduce_bytes=2",
     "+precision.precision=16-mixed +precision.params_dtype=torch.float16 +precision.pipeline_dtype=torch.float16 "
     "+precision.grad_reduce_in_fp32=false"},
    {"job.precision=fp8", "+precision.fp8=hybrid +precision.fp8_recipe=delayed +precision.fp8_param_gather=false"},
    {"job.precision=fp8; software.scaling=current",
     "+precision.fp8=hybrid +precision.fp8_recipe=tensorwise +precision.fp8_param_gather=false"},
    {"job.precision=fp8; software.scaling=block", "refused: software.scaling: block"},
    {"cluster.use=dgx-b200; job.precision=mxfp8",
     "+precision.fp8=e4m3 +precision.fp8_recipe=mxfp8 +precision.fp8_param_gather=false"},
    {"cluster.use=dgx-b200; job.precision=nvfp4", "refused: job.precision: nvfp4"},
    {"job.precision=fp8; software.narrow_attention=true", "refused: software.narrow_attention: true"},
    {"job.precision=fp8; software.narrow_head=true", "refused: software.narrow_head: true"},
    {"job.precision=fp8; software.gather_bytes=1; software.scaling=current",
     "+precision.fp8=hybrid +precision.fp8_recipe=tensorwise +precision.fp8_param_gather=true"},
    {"cluster.use=dgx-b200; job.precision=mxfp8; software.gather_bytes=1", "refused: software.gather_bytes: 1"},
    {"job.optimizer=sgd", "+optimizer.optimizer=sgd"},
    {"job.optimizer=sgd; parallelism.zero=0",
     "+ddp.use_distributed_optimizer=false +optimizer.use_distributed_optimizer=false +optimizer.optimizer=sgd "
     "-ddp.overlap_param_gather=true"},
    {"job.optimizer=lamb", "refused: job.optimizer: lamb"},
    {"job.phase=forward", "refused: job.phase: forward"},
    {"job.lora.rank=8", "refused: job.lora.rank: 8"},
    {"job.lora.rank=8; job.lora.targets=all", "refused: job.lora.rank: 8"},
    {"model.layers=32", "+model.num_layers=32"},
    {"model.kv_heads=8", "+model.num_query_groups=8"},
    {"model.head_dim=64", "+model.kv_channels=64"},
    {"model.vocab=51201", "refused: model.vocab: 51201"},
    {"model.vocab=51202", "+model.vocab_size=51202"},
    {"model.positions=0; model.rotary=true", "+model.position_embedding_type=rope +model.apply_rope_fusion=true"},
    {"model.positions=0", "refused: model.positions: 0"},
    {"model.rotary=true", "refused: model.positions: 2048"},
    {"model.token_types=2", "refused: model.token_types: 2"},
    {"model.gated_mlp=true; model.activation=silu",
     "+model.activation_func=torch.nn.functional.silu +model.gated_linear_unit=true"},
    {"model.gated_mlp=true", "+model.gated_linear_unit=true"},
    {"model.activation=squared-relu", "+model.activation_func=squared_relu"},
    {"model.activation=relu", "+model.activation_func=torch.nn.functional.relu"},
    {"model.tied_embeddings=false", "+model.share_embeddings_and_output_weights=false"},
    {"model.causal=false", "refused: model.causal: false"},
    {"model.bias=false", "+model.add_bias_linear=false"},
    {"model.bias=false; model.qkv_bias=true", "+model.add_bias_linear=false +model.add_qkv_bias=true"},
    {"model.embedding_norm=true", "refused: model.embedding_norm: true"},
    {"model.parallel_block=true", "refused: model.parallel_block: true"},
    {"model.norm=rmsnorm", "+model.normalization=RMSNorm"},
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
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.top_k=2; parallelism.ep=2",
     "+strategy.expert_model_parallel_size=2 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=2 +model.moe_ffn_hidden_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; parallelism.etp=2",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=2 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.ffn=1024",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=1024"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.moe_shared_expert_overlap=false +model.num_moe_experts=8 +model.moe_router_topk=1 "
     "+model.moe_ffn_hidden_size=20480 +model.moe_shared_expert_intermediate_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1; "
     "model.experts.shared_gate=true",
     "refused: model.experts.shared_gate: true"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.first_dense=4",
     "refused: model.experts.first_dense: 4"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.every=2",
     "refused: model.experts.every: 2"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.first_dense=3; model.experts.every=2",
     "refused: model.experts.first_dense: 3 |model.experts.every: 2"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.groups=4; "
     "model.experts.groups_per_token=2",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480 "
     "+model.moe_router_num_groups=4 +model.moe_router_group_topk=2"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; job.routing.capacity=1.5",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_expert_capacity_factor=1.5 +model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false "
     "+model.moe_permute_fusion=false +model.num_moe_experts=8 +model.moe_router_topk=1 "
     "+model.moe_ffn_hidden_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.dispatch=all-gather",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=allgather +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.dispatch=per-node",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=flex +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.grouped=true",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=true +model.moe_permute_fusion=false "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.permute=true",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=true "
     "+model.num_moe_experts=8 +model.moe_router_topk=1 +model.moe_ffn_hidden_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.overlap=true",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.overlap_moe_expert_parallel_comm=true +model.moe_token_dispatcher_type=alltoall "
     "+model.moe_grouped_gemm=false +model.moe_permute_fusion=false +model.num_moe_experts=8 +model.moe_router_topk=1 "
     "+model.moe_ffn_hidden_size=20480"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1; "
     "software.experts.overlap_shared=true",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.moe_shared_expert_overlap=true +model.num_moe_experts=8 +model.moe_router_topk=1 "
     "+model.moe_ffn_hidden_size=20480 +model.moe_shared_expert_intermediate_size=20480"},
    {"software.attention=flash2", "+model.attention_backend=AttnBackend.flash"},
    {"software.attention=flash3", "refused: software.attention: flash3"},
    {"software.attention=unfused", "+model.attention_backend=AttnBackend.unfused"},
    {"software.attention=cudnn-fused", "+model.attention_backend=AttnBackend.fused"},
    {"software.attention=flash1", "refused: software.attention: flash1"},
    {"software.attention=triton-flash", "refused: software.attention: triton-flash"},
    {"software.fusion.qkv=false", "refused: software.fusion.qkv: false"},
    {"software.fusion.softmax=false", "+model.masked_softmax_fusion=false"},
    {"software.fusion.bias_activation=false", "+model.bias_activation_fusion=false"},
    {"software.fusion.bias_activation=false; model.gated_mlp=true; model.activation=silu",
     "+model.activation_func=torch.nn.functional.silu +model.gated_linear_unit=true "
     "+model.bias_activation_fusion=false"},
    {"software.fusion.bias_dropout_add=false", "+model.bias_dropout_fusion=false"},
    {"software.fusion.rope=false; model.positions=0; model.rotary=true",
     "+model.position_embedding_type=rope +model.apply_rope_fusion=false"},
    {"software.fusion.cross_entropy=true", "+model.cross_entropy_loss_fusion=true"},
    {"software.fusion.gradient=false", "+model.gradient_accumulation_fusion=false"},
    {"software.overlap.tensor=true", "refused: software.overlap.tensor: true"},
    {"software.fused_collectives=ideal", "refused: software.fused_collectives: ideal"},
    {"software.overlap.gradients=false", "+ddp.overlap_grad_reduce=false"},
    {"software.overlap.parameters=false", "+ddp.overlap_param_gather=false"},
    {"software.overlap.pipeline=false; parallelism.interleave=2",
     "+strategy.virtual_pipeline_model_parallel_size=2 +model.overlap_p2p_comm=false +model.batch_p2p_comm=true"},
    {"software.scatter_gather=false", "refused: software.scatter_gather: false"},
    {"software.reduce_scatter=false", "refused: software.reduce_scatter: false"},
    {"software.bucket_bytes=160 MB", "+ddp.bucket_size=40000000"},
    {"software.reduce_each_microbatch=true", "refused: software.reduce_each_microbatch: true"},
    {"software.reduce_bytes=2", "+precision.grad_reduce_in_fp32=false"},
    {"software.reduce_bytes=3", "refused: software.reduce_bytes: 3"},
    {"software.graphs=step", "refused: software.graphs: step"},
    {"software.graphs=static-parts", "refused: software.graphs: static-parts"},
    {"cluster.gpus=24; cluster.gpus_per_node=16; parallelism.dp=6; job.global_batch=96", "refused: parallelism.dp: 6"},
    {"software.memory.optimizer=6",
     "+optimizer.use_precision_aware_optimizer=true +optimizer.exp_avg_dtype=torch.bfloat16 "
     "+optimizer.exp_avg_sq_dtype=torch.bfloat16"},
    {"model.positions=4096", "refused: model.positions: 4096"},
    {"job.sequence=1024; model.positions=0; model.rotary=true",
     "+model.seq_length=1024 +data.seq_length=1024 +model.position_embedding_type=rope +model.apply_rope_fusion=true"},
    {"software.experts.overlap=true; parallelism.sequence_parallel=true; model.experts.count=8",
     "+strategy.expert_model_parallel_size=1 +strategy.expert_tensor_parallel_size=1 +strategy.sequence_parallel=true "
     "+model.overlap_moe_expert_parallel_comm=true +model.moe_token_dispatcher_type=alltoall "
     "+model.moe_grouped_gemm=false +model.moe_permute_fusion=false +model.num_moe_experts=8 +model.moe_router_topk=1 "
     "+model.moe_ffn_hidden_size=20480"},
};

}  // namespace

TEST_CASE("each field is a setting of NeMo 2, or refused by name") { check_outcomes("nemo2", kCases); }

TEST_CASE("NeMo 2 gets a script of calls, each setting an argument of its own") {
  const Exported out("nemo2", export_scenario("nemo2"), {});
  REQUIRE_MESSAGE(out.result, out.told());
  const std::string& text = out.result->text;
  CHECK(text.find("# torchrun --nproc-per-node 8 --nnodes 2 FILE\nimport torch\n") != text.npos);
  size_t at = 0;
  for (const char* part :
       {"config = llm.GPTConfig(\n", "    num_layers=40,\n", ")\nddp = DistributedDataParallelConfig(\n",
        "    overlap_grad_reduce=True,\n", ")\nstrategy = nl.MegatronStrategy(\n",
        "    tensor_model_parallel_size=2,\n", "    ddp=ddp,\n)\nprecision = nl.MegatronMixedPrecision(\n",
        "    precision=\"bf16-mixed\",\n", ")\ntrainer = nl.Trainer(\n", "    devices=8,\n", "    plugins=precision,\n",
        "\ndata = llm.MockDataModule(\n", "    seq_length=2048,\n", ")\noptimizer = OptimizerConfig(\n",
        "    optimizer=\"adam\",\n", "    llm.pretrain(model=llm.GPTModel(config), data=data, trainer=trainer,\n"}) {
    CAPTURE(std::string(part));
    const size_t found = text.find(part, at);
    REQUIRE(found != text.npos);
    at = found;
  }
}

TEST_CASE("what NeMo 2 refuses names a program that has it") {
  const char* const kSets[] = {"parallelism.zero=2", "job.precision=fp8; software.scaling=block",
                               "parallelism.sequence_parallel=true; model.experts.count=8; model.experts.every=2"};
  for (const char* set : kSets) {
    CAPTURE(std::string(set));
    CHECK(Exported("nemo2", export_scenario("nemo2"), parts_of(set, "; ")).told().ends_with("--to megatron-bridge\n"));
  }
}
