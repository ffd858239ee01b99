// What becomes of each field: the Python script of Megatron-Bridge.
#include "tests/planner/export/export_sample.h"

namespace {

constexpr ExportCase kCases[] = {
    {"parallelism.tp=4", "+model.make_vocab_size_divisible_by=64 +model.tensor_model_parallel_size=4"},
    {"parallelism.pp=4", "+model.pipeline_model_parallel_size=4"},
    {"parallelism.pp=1", "+model.pipeline_model_parallel_size=1"},
    {"parallelism.cp=2", "+model.context_parallel_size=2 +model.cp_comm_type=p2p"},
    {"parallelism.cp=2; software.context=all-to-all", "+model.context_parallel_size=2 +model.cp_comm_type=a2a"},
    {"parallelism.interleave=2",
     "+model.overlap_p2p_comm=true +model.batch_p2p_comm=false +model.virtual_pipeline_model_parallel_size=2"},
    {"parallelism.interleave=2; software.overlap.pipeline=false",
     "+model.overlap_p2p_comm=false +model.batch_p2p_comm=true +model.virtual_pipeline_model_parallel_size=2"},
    {"parallelism.stages=[15, 17]", "+model.pipeline_model_parallel_layout=Et*15|t*17L"},
    {"parallelism.pp=4; parallelism.stages=[7, 8, 9, 8]",
     "+model.pipeline_model_parallel_layout=Et*7|t*8|t*9|t*8L +model.pipeline_model_parallel_size=4"},
    {"parallelism.pp=4; parallelism.interleave=2; parallelism.stages=[3, 5, 4, 4, 4, 4, 4, 4]",
     "+model.pipeline_model_parallel_layout=Et*3|t*5|(t*4|)*5t*4L +model.overlap_p2p_comm=true "
     "+model.batch_p2p_comm=false +model.pipeline_model_parallel_size=4 +model.virtual_pipeline_model_parallel_size=2"},
    {"parallelism.schedule=gpipe", "refused: parallelism.schedule: gpipe"},
    {"software.schedule=gpipe", "refused: software.schedule: gpipe"},
    {"parallelism.sequence_parallel=true", "+model.sequence_parallel=true"},
    {"parallelism.sequence_parallel=true; software.overlap.tensor=true",
     "+model.tp_comm_overlap=true +model.sequence_parallel=true"},
    {"parallelism.order=tp-cp-ep-pp-dp", "+dist.use_tp_pp_dp_mapping=true"},
    {"parallelism.order=tp-cp-ep-pp-dp; parallelism.zero=2", "refused: parallelism.order: tp-cp-ep-pp-dp"},
    {"parallelism.order=tp-cp-ep-pp-dp; parallelism.zero=3; parallelism.pp=1",
     "refused: parallelism.order: tp-cp-ep-pp-dp"},
    {"parallelism.order=tp-cp-ep-pp-dp; parallelism.zero=3; parallelism.pp=1; software.fsdp=true",
     "+dist.use_tp_pp_dp_mapping=true +dist.use_torch_fsdp2=true +model.pipeline_model_parallel_size=1 "
     "-ddp.use_distributed_optimizer=true -optimizer.use_distributed_optimizer=true -ddp.overlap_grad_reduce=true "
     "-ddp.overlap_param_gather=true"},
    {"parallelism.order=dp-tp-cp-ep-pp", "refused: parallelism.order: dp-tp-cp-ep-pp"},
    {"parallelism.zero=0",
     "+ddp.use_distributed_optimizer=false +optimizer.use_distributed_optimizer=false -ddp.overlap_param_gather=true"},
    {"parallelism.zero=2", "+ddp.use_megatron_fsdp=true +ddp.data_parallel_sharding_strategy=optim_grads"},
    {"parallelism.zero=3; parallelism.pp=1",
     "+ddp.use_megatron_fsdp=true +ddp.data_parallel_sharding_strategy=optim_grads_params "
     "+model.pipeline_model_parallel_size=1"},
    {"parallelism.zero=3; software.fsdp=true; parallelism.pp=1",
     "+dist.use_torch_fsdp2=true +model.pipeline_model_parallel_size=1 -ddp.use_distributed_optimizer=true "
     "-optimizer.use_distributed_optimizer=true -ddp.overlap_grad_reduce=true -ddp.overlap_param_gather=true"},
    {"parallelism.zero=3; software.fsdp=true", "refused: parallelism.zero: 3"},
    {"parallelism.zero=2; software.fsdp=true; parallelism.pp=1", "refused: parallelism.zero: 2"},
    {"parallelism.zero_group=2", "+ddp.num_distributed_optimizer_instances=2"},
    {"parallelism.zero=3; parallelism.pp=1; parallelism.zero_group=2", "refused: parallelism.zero_group: 2"},
    {"parallelism.servers=2; parallelism.zero=0", "refused: parallelism.servers: 2"},
    {"parallelism.recompute=full",
     "+model.recompute_granularity=full +model.recompute_method=uniform +model.recompute_num_layers=1"},
    {"parallelism.recompute=full; parallelism.recompute_every=2",
     "+model.recompute_granularity=full +model.recompute_method=uniform +model.recompute_num_layers=2"},
    {"parallelism.recompute=selective",
     "+model.recompute_granularity=selective +model.recompute_modules=[\"core_attn\"]"},
    {"parallelism.recompute=selective; software.selective=latent-up-and-cheap",
     "+model.recompute_granularity=selective +model.recompute_modules=[\"mla_up_proj\", \"layernorm\", \"moe_act\"]"},
    {"parallelism.recompute=selective; software.selective=[norm, experts]",
     "+model.recompute_granularity=selective +model.recompute_modules=[\"layernorm\", \"moe\"]"},
    {"parallelism.offload.activations=0.5; parallelism.offload.modules=[expert-input, expert-activation]",
     "+model.activation_offload_fraction=0.5 +model.fine_grained_activation_offloading=true "
     "+model.offload_modules=[\"expert_fc1\", \"moe_act\"]"},
    {"parallelism.recompute=selective; software.selective=mlp-and-norm", "refused: software.selective: mlp-and-norm"},
    {"parallelism.offload.optimizer=0.5",
     "+optimizer.optimizer_cpu_offload=true +optimizer.optimizer_offload_fraction=0.5"},
    {"parallelism.offload.weights=1", "refused: parallelism.offload.weights: 1"},
    {"parallelism.offload.activations=0.5", "+model.cpu_offloading=true +model.cpu_offloading_num_layers=8"},
    {"parallelism.offload.activations=0.33", "refused: parallelism.offload.activations: 0.33"},
    {"parallelism.microbatch=2", "+train.micro_batch_size=2"},
    {"job.global_batch=128", "+train.global_batch_size=128"},
    {"job.sequence=1024", "+model.seq_length=1024 +dataset.sequence_length=1024"},
    {"job.document=512", "refused: job.document: 512"},
    {"job.tokens=1e9", "+train.train_iters=7630"},
    {"job.precision=fp32",
     "+mixed_precision.fp32=true +mixed_precision.params_dtype=torch.float32 "
     "+mixed_precision.pipeline_dtype=torch.float32 -mixed_precision.bf16=true"},
    {"job.precision=tf32", "refused: job.precision: tf32"},
    {"job.precision=fp16",
     "+mixed_precision.fp16=true +mixed_precision.params_dtype=torch.float16 "
     "+mixed_precision.pipeline_dtype=torch.float16 -mixed_precision.bf16=true"},
    {"job.precision=fp8", "+mixed_precision.fp8=hybrid +mixed_precision.fp8_recipe=delayed"},
    {"job.precision=fp8; software.scaling=current",
     "+mixed_precision.fp8=hybrid +mixed_precision.fp8_recipe=tensorwise"},
    {"job.precision=fp8; software.scaling=block", "+mixed_precision.fp8=hybrid +mixed_precision.fp8_recipe=blockwise"},
    {"job.precision=fp8; software.gather_bytes=1; software.scaling=current",
     "+mixed_precision.fp8=hybrid +mixed_precision.fp8_recipe=tensorwise +mixed_precision.fp8_param_gather=true"},
    {"cluster.use=dgx-b200; job.precision=mxfp8", "+mixed_precision.fp8=e4m3 +mixed_precision.fp8_recipe=mxfp8"},
    {"cluster.use=dgx-b200; job.precision=mxfp8; software.gather_bytes=1",
     "+mixed_precision.fp8=e4m3 +mixed_precision.fp8_recipe=mxfp8 +mixed_precision.fp8_param_gather=true "
     "+mixed_precision.reuse_grad_buf_for_mxfp8_param_ag=true"},
    {"cluster.use=dgx-b200; job.precision=nvfp4", "+mixed_precision.fp4=e2m1"},
    {"job.precision=fp8; software.narrow_attention=true", "refused: software.narrow_attention: true"},
    {"job.optimizer=sgd", "+optimizer.optimizer=sgd"},
    {"job.optimizer=lamb", "refused: job.optimizer: lamb"},
    {"job.phase=forward", "refused: job.phase: forward"},
    {"job.lora.rank=8", "refused: job.lora.rank: 8"},
    {"job.routing.capacity=1.5; model.use=mixtral-8x7b; parallelism.sequence_parallel=true",
     "+hf_model=mistralai/Mixtral-8x7B-v0.1 +model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 "
     "+model.sequence_parallel=true +model.moe_expert_capacity_factor=1.5 +model.moe_token_dispatcher_type=alltoall "
     "+model.moe_grouped_gemm=false +model.moe_permute_fusion=false"},
    {"model.use=mixtral-8x7b; parallelism.sequence_parallel=true; parallelism.ep=4; parallelism.etp=2",
     "+hf_model=mistralai/Mixtral-8x7B-v0.1 +model.expert_model_parallel_size=4 +model.expert_tensor_parallel_size=2 "
     "+model.sequence_parallel=true +model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false "
     "+model.moe_permute_fusion=false"},
    {"model.use=mixtral-8x7b; parallelism.sequence_parallel=true; software.experts.dispatch=all-gather",
     "+hf_model=mistralai/Mixtral-8x7B-v0.1 +model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 "
     "+model.sequence_parallel=true +model.moe_token_dispatcher_type=allgather +model.moe_grouped_gemm=false "
     "+model.moe_permute_fusion=false"},
    {"model.use=mixtral-8x7b; parallelism.sequence_parallel=true; software.experts.overlap=true",
     "+hf_model=mistralai/Mixtral-8x7B-v0.1 +model.overlap_moe_expert_parallel_comm=true "
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false"},
    {"model.use=qwen3-8b", "+hf_model=Qwen/Qwen3-8B +model.make_vocab_size_divisible_by=64"},
    {"model.use=deepseek-v3; parallelism.pp=1; parallelism.sequence_parallel=true",
     "+hf_model=deepseek-ai/DeepSeek-V3 +model.mtp_num_layers=1 +model.pipeline_model_parallel_size=1 "
     "+model.expert_model_parallel_size=1 +model.expert_tensor_parallel_size=1 +model.sequence_parallel=true "
     "+model.moe_token_dispatcher_type=alltoall +model.moe_grouped_gemm=false +model.moe_permute_fusion=false "
     "+model.moe_shared_expert_overlap=false"},
    {"model.use=gpt3-13b", "refused: model.name: gpt3-13b"},
    {"model.use=bloom-176b", "refused: model.name: bloom-176b"},
    {"model.use=gpt2-xl", "refused: model.name: gpt2-xl |model.vocab: 50257"},
    {"model.use=qwen2-57b-a14b; parallelism.sequence_parallel=true", "refused: model.name: qwen2-57b-a14b"},
    {"model.use=hf:tests/planner/import/hf/llama-3.1-8b", "+hf_model=./tests/planner/import/hf/llama-3.1-8b"},
    {"model.layers=16", "refused: model.layers: 16"},
    {"model.vocab=128260", "refused: model.vocab: 128260"},
    {"model.vocab=128255", "refused: model.vocab: 128255 |model.vocab: 128255"},
    {"model.mtp=1", "+model.mtp_num_layers=1 +model.pipeline_model_parallel_layout=Et*18|t*14mL"},
    {"model.use=deepseek-v3; model.mtp=0; parallelism.pp=1; parallelism.sequence_parallel=true",
     "+hf_model=deepseek-ai/DeepSeek-V3 +model.pipeline_model_parallel_size=1 +model.expert_model_parallel_size=1 "
     "+model.expert_tensor_parallel_size=1 +model.sequence_parallel=true +model.moe_token_dispatcher_type=alltoall "
     "+model.moe_grouped_gemm=false +model.moe_permute_fusion=false +model.moe_shared_expert_overlap=false"},
    {"model.dropout=0.1", "+model.hidden_dropout=0.1 +model.attention_dropout=0.1"},
    {"software.reduce_bytes=2", "+mixed_precision.grad_reduce_in_fp32=false"},
    {"software.reduce_bytes=3", "refused: software.reduce_bytes: 3"},
    {"software.bucket_bytes=160 MB", "+ddp.bucket_size=40000000"},
    {"software.overlap.gradients=false; software.overlap.parameters=false",
     "+ddp.overlap_grad_reduce=false +ddp.overlap_param_gather=false"},
    {"software.reduce_scatter=false", "refused: software.reduce_scatter: false"},
    {"software.reduce_each_microbatch=true", "refused: software.reduce_each_microbatch: true"},
    {"software.scatter_gather=false", "refused: software.scatter_gather: false"},
    {"software.memory.optimizer=6",
     "+optimizer.use_precision_aware_optimizer=true +optimizer.exp_avg_dtype=torch.bfloat16 "
     "+optimizer.exp_avg_sq_dtype=torch.bfloat16"},
    {"software.memory.optimizer=4",
     "+optimizer.use_precision_aware_optimizer=true +optimizer.exp_avg_dtype=torch.uint8 "
     "+optimizer.exp_avg_sq_dtype=torch.uint8"},
    {"software.memory.optimizer=8; software.memory.gradient=2",
     "+optimizer.use_precision_aware_optimizer=true +optimizer.exp_avg_dtype=torch.bfloat16 "
     "+optimizer.main_grads_dtype=torch.bfloat16"},
    {"software.attention=flash2", "+model.attention_backend=AttnBackend.flash"},
    {"software.attention=cudnn-fused", "+model.attention_backend=AttnBackend.fused"},
    {"software.attention=unfused", "+model.attention_backend=AttnBackend.unfused"},
    {"software.attention=te", ""},
    {"software.attention=flash3", "refused: software.attention: flash3"},
    {"software.fusion.softmax=false", "+model.masked_softmax_fusion=false"},
    {"software.fusion.bias_activation=false", "+model.bias_activation_fusion=false"},
    {"software.fusion.bias_dropout_add=false", "+model.bias_dropout_fusion=false"},
    {"software.fusion.rope=false", "+model.apply_rope_fusion=false"},
    {"software.fusion.cross_entropy=true", "+model.cross_entropy_loss_fusion=true"},
    {"software.fusion.gradient=false", "+model.gradient_accumulation_fusion=false"},
    {"software.fusion.qkv=false", "refused: software.fusion.qkv: false"},
    {"software.fused_collectives=ideal", "refused: software.fused_collectives: ideal"},
    {"software.graphs=step",
     "+model.cuda_graph_impl=local +model.cuda_graph_scope=full_iteration "
     "+rerun_state_machine.check_for_nan_in_loss=false +ddp.check_for_nan_in_grad=false "
     "+model.use_te_rng_tracker=true +rng.te_rng_tracker=true"},
    {"software.graphs=static-parts",
     "+model.cuda_graph_impl=transformer_engine +model.cuda_graph_scope=[\"attn\", \"moe_router\", \"moe_preprocess\"] "
     "+model.use_te_rng_tracker=true +rng.te_rng_tracker=true"},
    {"cluster.gpus=24; cluster.gpus_per_node=16; parallelism.dp=6; job.global_batch=96", "refused: parallelism.dp: 6"},
};

}  // namespace

TEST_CASE("each field is a setting of Megatron-Bridge, or refused by name") {
  check_outcomes("megatron-bridge", kCases);
}

TEST_CASE("Megatron-Bridge gets a script that says its launch, its model and then the plan") {
  const Exported out("megatron-bridge", export_scenario("megatron-bridge"), {});
  REQUIRE_MESSAGE(out.result, out.told());
  const std::string& text = out.result->text;
  CHECK(text.find("# torchrun --nproc-per-node 8 --nnodes 2 FILE\nimport os\n\nimport torch\n") != text.npos);
  CHECK(text.find("\nhf_model = \"meta-llama/Meta-Llama-3-8B\"\n") != text.npos);
  const size_t made = text.find("\ncfg = ConfigContainer(\n"), plan = text.find("\n# The plan.\n");
  CHECK(made < plan);
  for (const char* line : {"cfg.model.tensor_model_parallel_size = 2", "cfg.ddp.overlap_grad_reduce = True",
                           "cfg.mixed_precision.params_dtype = torch.bfloat16", "cfg.optimizer.optimizer = \"adam\"",
                           "cfg.dataset.sequence_length = 2048", "cfg.model.sequence_parallel = False"}) {
    CAPTURE(std::string(line));
    CHECK(text.find("\n" + std::string(line) + "\n", plan) != text.npos);
  }
  CHECK(text.ends_with("\nif __name__ == \"__main__\":\n    pretrain(cfg, forward_step)\n"));
}

TEST_CASE("a model that Megatron-Bridge cannot find says what to do") {
  const Exported unnamed("megatron-bridge", export_scenario("megatron-bridge"), {"model.use=gpt3-13b"});
  CHECK(unnamed.told() ==
        "Megatron-Bridge cannot express 'model.name: gpt3-13b': it is known by no name on the hub; model: {use: "
        "hf:PATH} with its config.json\n");
  const Exported none("megatron-bridge", export_scenario("megatron-bridge"), {"model.use=gpt2-xl"});
  CHECK(
      none.told().starts_with("Megatron-Bridge cannot express 'model.name: gpt2-xl': AutoBridge has no bridge for "
                              "openai-community/gpt2-xl; --to megatron\n"));
}
