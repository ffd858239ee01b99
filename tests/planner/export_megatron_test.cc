// What becomes of each field: the flags of Megatron-LM.
#include "tests/planner/export_sample.h"

namespace {

constexpr ExportCase kCases[] = {
    {"parallelism.tp=4", "+--tensor-model-parallel-size=4"},
    {"parallelism.pp=4", "+--pipeline-model-parallel-size=4"},
    {"parallelism.pp=1", "+--pipeline-model-parallel-size=1"},
    {"parallelism.cp=2", "+--context-parallel-size=2 +--cp-comm-type=p2p"},
    {"parallelism.cp=2; software.context=all-to-all", "+--context-parallel-size=2 +--cp-comm-type=a2a"},
    {"parallelism.cp=2; software.context=all-to-all; software.attention=flash2",
     "+--context-parallel-size=2 +--cp-comm-type=a2a +--attention-backend=flash"},
    {"parallelism.cp=2; software.attention=flash2",
     "+--context-parallel-size=2 +--cp-comm-type=p2p +--attention-backend=flash"},
    {"parallelism.cp=2; software.context=all-to-all; parallelism.sequence_parallel=true",
     "+--context-parallel-size=2 +--cp-comm-type=a2a +--sequence-parallel"},
    {"parallelism.interleave=2", "+--num-virtual-stages-per-pipeline-rank=2"},
    {"parallelism.interleave=5; parallelism.pp=4",
     "+--pipeline-model-parallel-size=4 +--num-virtual-stages-per-pipeline-rank=5"},
    {"parallelism.stages=[19, 21]", "+--decoder-first-pipeline-num-layers=19"},
    {"parallelism.pp=4; parallelism.stages=[8, 12, 12, 8]",
     "+--pipeline-model-parallel-size=4 +--decoder-first-pipeline-num-layers=8 +--decoder-last-pipeline-num-layers=8"},
    {"parallelism.pp=4; parallelism.stages=[9, 10, 11, 10]", "refused: parallelism.stages: [9, 10, 11, 10]"},
    {"parallelism.pp=4; parallelism.interleave=2; parallelism.stages=[3, 6, 5, 5, 5, 5, 5, 6]",
     "refused: parallelism.stages: [3, 6, 5, 5, 5, 5, 5, 6]"},
    {"parallelism.pp=2; parallelism.interleave=2; parallelism.stages=[8, 12, 12, 8]",
     "refused: parallelism.stages: [8, 12, 12, 8]"},
    {"parallelism.schedule=gpipe", "refused: parallelism.schedule: gpipe"},
    {"parallelism.schedule=zb-h1", "refused: parallelism.schedule: zb-h1"},
    {"parallelism.schedule=zb-v; parallelism.interleave=2", "refused: parallelism.schedule: zb-v"},
    {"software.schedule=gpipe", "refused: software.schedule: gpipe"},
    {"parallelism.sequence_parallel=true", "+--sequence-parallel"},
    {"parallelism.order=tp-cp-ep-pp-dp", "+--use-tp-pp-dp-mapping"},
    {"parallelism.order=dp-tp-cp-ep-pp", "refused: parallelism.order: dp-tp-cp-ep-pp"},
    {"parallelism.zero=0", "---use-distributed-optimizer ---overlap-param-gather"},
    {"parallelism.zero=2", "+--use-megatron-fsdp +--data-parallel-sharding-strategy=optim_grads"},
    {"parallelism.zero=3; parallelism.pp=1",
     "+--pipeline-model-parallel-size=1 +--use-megatron-fsdp +--data-parallel-sharding-strategy=optim_grads_params"},
    {"parallelism.zero=3; software.fsdp=true", "refused: parallelism.zero: 3"},
    {"parallelism.zero=2; software.fsdp=true", "refused: parallelism.zero: 2"},
    {"parallelism.zero_group=2", "+--num-distributed-optimizer-instances=2"},
    {"parallelism.zero=3; parallelism.pp=1; parallelism.zero_group=2", "refused: parallelism.zero_group: 2"},
    {"parallelism.servers=2; parallelism.zero=0", "refused: parallelism.servers: 2"},
    {"parallelism.recompute=full",
     "+--recompute-granularity=full +--recompute-method=uniform +--recompute-num-layers=1"},
    {"parallelism.recompute=full; parallelism.recompute_every=2",
     "+--recompute-granularity=full +--recompute-method=uniform +--recompute-num-layers=2"},
    {"parallelism.recompute=selective", "+--recompute-granularity=selective +--recompute-modules=core_attn"},
    {"parallelism.recompute=selective; software.selective=expert-activation",
     "+--recompute-granularity=selective +--recompute-modules=moe_act"},
    {"parallelism.recompute=selective; software.selective=latent-up-and-cheap",
     "+--recompute-granularity=selective +--recompute-modules=mla_up_proj layernorm moe_act"},
    {"parallelism.recompute=selective; software.selective=mlp-and-norm", "refused: software.selective: mlp-and-norm"},
    {"parallelism.recompute=selective; software.selective=every-second-layer",
     "refused: software.selective: every-second-layer"},
    {"parallelism.offload.optimizer=1", "+--optimizer-cpu-offload +--optimizer-offload-fraction=1"},
    {"parallelism.offload.optimizer=0.5", "+--optimizer-cpu-offload +--optimizer-offload-fraction=0.5"},
    {"parallelism.offload.weights=1", "refused: parallelism.offload.weights: 1"},
    {"parallelism.offload.weights=1; parallelism.offload.optimizer=1", "refused: parallelism.offload.weights: 1"},
    {"parallelism.offload.weights=1; parallelism.zero=3; parallelism.pp=1", "refused: parallelism.offload.weights: 1"},
    {"parallelism.offload.optimizer=0.5; parallelism.zero=3; parallelism.pp=1",
     "+--pipeline-model-parallel-size=1 +--use-megatron-fsdp +--data-parallel-sharding-strategy=optim_grads_params "
     "+--optimizer-cpu-offload +--optimizer-offload-fraction=0.5"},
    {"parallelism.offload.activations=0.5", "+--cpu-offloading-num-layers=10"},
    {"parallelism.offload.activations=0.33", "refused: parallelism.offload.activations: 0.33"},
    {"parallelism.microbatch=2", "+--micro-batch-size=2"},
    {"parallelism.microbatch=2; parallelism.pp=1", "+--pipeline-model-parallel-size=1 +--micro-batch-size=2"},
    {"job.global_batch=128", "+--global-batch-size=128"},
    {"job.sequence=1024", "+--seq-length=1024"},
    {"job.document=512", "refused: job.document: 512"},
    {"job.tokens=1e9", "+--train-samples=488282"},
    {"job.precision=fp32", "---bf16"},
    {"job.precision=tf32", "refused: job.precision: tf32"},
    {"job.precision=fp16", "+--fp16 +--accumulate-allreduce-grads-in-fp32 ---bf16"},
    {"job.precision=fp16; software.reduce_bytes=2", "+--fp16 ---bf16"},
    {"job.precision=fp8", "+--fp8-format=hybrid +--fp8-recipe=delayed"},
    {"job.precision=fp8; software.scaling=current", "+--fp8-format=hybrid +--fp8-recipe=tensorwise"},
    {"job.precision=fp8; software.scaling=block", "+--fp8-format=hybrid +--fp8-recipe=blockwise"},
    {"cluster.use=dgx-b200; job.precision=mxfp8", "+--fp8-format=e4m3 +--fp8-recipe=mxfp8"},
    {"cluster.use=dgx-b200; job.precision=nvfp4", "+--fp4-format=e2m1"},
    {"job.precision=fp8; software.narrow_attention=true", "refused: software.narrow_attention: true"},
    {"job.precision=fp8; software.narrow_head=true", "refused: software.narrow_head: true"},
    {"job.precision=fp8; software.gather_bytes=1; software.scaling=current",
     "+--fp8-format=hybrid +--fp8-recipe=tensorwise +--fp8-param-gather"},
    {"job.optimizer=sgd", "+--optimizer=sgd"},
    {"job.optimizer=sgd; parallelism.zero=0", "+--optimizer=sgd ---use-distributed-optimizer ---overlap-param-gather"},
    {"job.optimizer=lamb", "refused: job.optimizer: lamb"},
    {"job.phase=forward", "refused: job.phase: forward"},
    {"job.lora.rank=8", "refused: job.lora.rank: 8"},
    {"job.lora.rank=8; job.lora.targets=all", "refused: job.lora.rank: 8"},
    {"model.layers=32", "+--num-layers=32"},
    {"model.kv_heads=8", "+--group-query-attention +--num-query-groups=8"},
    {"model.head_dim=64", "+--kv-channels=64"},
    {"model.vocab=51201", "refused: model.vocab: 51201"},
    {"model.vocab=51202", "+--vocab-size=51202 +--make-vocab-size-divisible-by=1"},
    {"model.positions=0; model.rotary=true", "+--position-embedding-type=rope"},
    {"model.positions=0", "+--position-embedding-type=none"},
    {"model.rotary=true", "refused: model.positions: 2048"},
    {"model.token_types=2", "refused: model.token_types: 2"},
    {"model.gated_mlp=true; model.activation=silu", "+--swiglu"},
    {"model.gated_mlp=true", "refused: model.activation: gelu"},
    {"model.activation=squared-relu", "+--squared-relu"},
    {"model.activation=relu", "refused: model.activation: relu"},
    {"model.tied_embeddings=false", "+--untie-embeddings-and-output-weights"},
    {"model.causal=false", "refused: model.causal: false"},
    {"model.bias=false", "+--disable-bias-linear"},
    {"model.bias=false; model.qkv_bias=true", "+--disable-bias-linear +--add-qkv-bias"},
    {"model.embedding_norm=true", "refused: model.embedding_norm: true"},
    {"model.parallel_block=true", "refused: model.parallel_block: true"},
    {"model.norm=rmsnorm", "+--normalization=RMSNorm"},
    {"model.head=mlm", "refused: model.head: mlm"},
    {"model.dropout=0", "+--hidden-dropout=0 +--attention-dropout=0"},
    {"model.qk_norm=true", "+--qk-layernorm"},
    {"model.post_norm=true", "refused: model.post_norm: true"},
    {"model.sinks=true", "+--softmax-type=learnable"},
    {"model.mtp=1; parallelism.pp=1", "+--pipeline-model-parallel-size=1 +--mtp-num-layers=1"},
    {"model.predicted=0.15", "refused: model.predicted: 0.15"},
    {"model.latent.rank=512; model.latent.query_rank=256",
     "+--qk-head-dim=128 +--multi-latent-attention +--kv-lora-rank=512 +--q-lora-rank=256 +--qk-pos-emb-head-dim=64 "
     "+--v-head-dim=128 ---kv-channels=128"},
    {"model.window.size=128", "+--window-size=(128,0)"},
    {"model.window.size=128; model.window.global_every=4", "+--window-size=(128,0) +--window-attn-skip-freq=4"},
    {"parallelism.sequence_parallel=true; model.experts.count=8",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-token-dispatcher-type=alltoall +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.top_k=2; parallelism.ep=2",
     "+--expert-model-parallel-size=2 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=2 +--moe-ffn-hidden-size=20480 +--moe-token-dispatcher-type=alltoall +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; parallelism.etp=2",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=2 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-token-dispatcher-type=alltoall +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.ffn=1024",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=1024 +--moe-token-dispatcher-type=alltoall +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-shared-expert-intermediate-size=20480 "
     "+--moe-token-dispatcher-type=alltoall +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1; "
     "model.experts.shared_gate=true",
     "refused: model.experts.shared_gate: true"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.first_dense=4",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-layer-freq=([0]*4+[1]*36) "
     "+--moe-token-dispatcher-type=alltoall +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.every=2",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-layer-freq=(([0]*1+[1])*20) "
     "+--moe-token-dispatcher-type=alltoall +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.first_dense=3; model.experts.every=2",
     "refused: model.experts.first_dense: 3"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.groups=4; "
     "model.experts.groups_per_token=2",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-router-num-groups=4 +--moe-router-group-topk=2 "
     "+--moe-token-dispatcher-type=alltoall +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; job.routing.capacity=1.5",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel "
     "+--moe-expert-capacity-factor=1.5 +--num-experts=8 +--moe-router-topk=1 +--moe-ffn-hidden-size=20480 "
     "+--moe-token-dispatcher-type=alltoall +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.dispatch=all-gather",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-token-dispatcher-type=allgather +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.dispatch=per-node",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-token-dispatcher-type=flex +--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.grouped=true",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-token-dispatcher-type=alltoall +--moe-grouped-gemm "
     "+--moe-permute-fusion"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.permute=false",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-token-dispatcher-type=alltoall"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.overlap=true",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-token-dispatcher-type=alltoall +--moe-permute-fusion "
     "+--overlap-moe-expert-parallel-comm"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1; "
     "software.experts.overlap_shared=true",
     "+--expert-model-parallel-size=1 +--expert-tensor-parallel-size=1 +--sequence-parallel +--num-experts=8 "
     "+--moe-router-topk=1 +--moe-ffn-hidden-size=20480 +--moe-shared-expert-intermediate-size=20480 "
     "+--moe-token-dispatcher-type=alltoall +--moe-permute-fusion +--moe-shared-expert-overlap"},
    {"software.attention=flash2", "+--attention-backend=flash"},
    {"software.attention=flash3", "refused: software.attention: flash3"},
    {"software.attention=unfused", "+--attention-backend=unfused"},
    {"software.attention=cudnn-fused", "+--attention-backend=fused"},
    {"software.attention=flash1", "refused: software.attention: flash1"},
    {"software.attention=triton-flash", "refused: software.attention: triton-flash"},
    {"software.fusion.qkv=false", "refused: software.fusion.qkv: false"},
    {"software.fusion.softmax=false", "+--no-masked-softmax-fusion"},
    {"software.fusion.bias_activation=false", "+--no-bias-gelu-fusion"},
    {"software.fusion.bias_activation=false; model.gated_mlp=true; model.activation=silu",
     "+--swiglu +--no-bias-swiglu-fusion"},
    {"software.fusion.bias_dropout_add=false", "+--no-bias-dropout-fusion"},
    {"software.fusion.rope=false; model.positions=0; model.rotary=true",
     "+--position-embedding-type=rope +--no-rope-fusion"},
    {"software.fusion.cross_entropy=true", "+--cross-entropy-loss-fusion"},
    {"software.fusion.gradient=false", "+--no-gradient-accumulation-fusion"},
    {"software.overlap.tensor=true", "+--tp-comm-overlap"},
    {"software.overlap.gradients=false", "---overlap-grad-reduce"},
    {"software.overlap.parameters=false", "---overlap-param-gather"},
    {"software.overlap.pipeline=false; parallelism.interleave=2",
     "+--num-virtual-stages-per-pipeline-rank=2 +--no-overlap-p2p-communication"},
    {"software.scatter_gather=false", "+--no-scatter-gather-tensors-in-pipeline"},
    {"software.reduce_scatter=false", "refused: software.reduce_scatter: false"},
    {"software.reduce_each_microbatch=true", "refused: software.reduce_each_microbatch: true"},
    {"software.reduce_bytes=2", "+--grad-reduce-in-bf16"},
    {"software.reduce_bytes=3", "refused: software.reduce_bytes: 3"},
    {"software.graphs=step", "+--cuda-graph-impl=local +--cuda-graph-scope=full_iteration"},
    {"software.graphs=static-parts",
     "+--cuda-graph-impl=transformer_engine +--cuda-graph-scope=attn moe_router moe_preprocess"},
    {"cluster.gpus=24; cluster.gpus_per_node=16; parallelism.dp=6; job.global_batch=96", "refused: parallelism.dp: 6"},
};

}  // namespace

TEST_CASE("each field is a setting of megatron, or refused by name") {
  for (const ExportCase& c : kCases) {
    CAPTURE(std::string(c.set));
    CHECK(export_outcome("megatron", c.set) == c.outcome);
  }
}
