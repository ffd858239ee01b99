// The flags in which Megatron-DeepSpeed differs from Megatron-LM: megatron/arguments.py of
// github.com/microsoft/Megatron-DeepSpeed (f4157bea) and github.com/bigscience-workshop/Megatron-DeepSpeed (8387ae17).
#include "planner/import/megatron_table.h"

namespace planner::megatron {
namespace {

constexpr ProgramWord kNorms[] = {{"rmsnorm", "rmsnorm"}, {"layernorm", "layernorm"}};

constexpr FieldFlag kFieldFlags[] = {
    {"--untie-embeddings-and-output-weights", "model.tied_embeddings", "false", {}, "true"},
    {"--normalization", "model.norm", nullptr, kNorms},
    {"--global-batch-size", "job.global_batch", nullptr, {}, "parallelism.microbatch * parallelism.dp"},
    {"--num-key-value-heads", "model.kv_heads"},
    {"--embed-layernorm", "model.embedding_norm", "true"},
    {"--topk", "model.experts.top_k"},
    {"--expert-interval", "model.experts.every"},
    {"--moe-expert-parallel-size", "parallelism.ep"},
    {"--moe-train-capacity-factor", "job.routing.capacity"},
    {"--ds-sequence-parallel-size", "parallelism.cp"},
    {"--enable-zbh1-pipeline", "parallelism.schedule", "zb-h1"},
    {"--overlap-p2p-communication", "software.overlap.pipeline", "true"},
};

constexpr const char* kRules[] = {
    // DeepSpeed's own configuration
    "--deepspeed_config", "--zero-stage",
    // the model and the job
    "--num-experts", "--mlp-type", "--pad-vocab-size-to", "--train-tokens",
    // the layout
    "--checkpoint-num-layers", "--remote-device"};

constexpr const char* kSwitches[] = {"--deepspeed",
                                     "--no-position-embedding",
                                     "--disable-moe-token-dropping",
                                     "--enable-expert-tensor-parallelism",
                                     "--checkpoint-activations",
                                     "--checkpoint-in-cpu",
                                     "--cpu-optimizer",
                                     "--fp8-hybrid",
                                     "--fp8-e4m3",
                                     "--use-flash-attn-v1",
                                     "--use-flash-attn-v2",
                                     "--use-flash-attn-triton",
                                     "--use-flash-attn-builder"};

constexpr const char* kLost[] = {
    // how the step runs
    "--partition-activations",
    "--distribute-checkpointed-activations",
    "--random-ltd",
    "--use-tutel",
    "--kd",
    "--mos",
    "--ds-sequence-parallel-fpdt",
    "--ds-sequence-parallel-fpdt-offloading",
    "--enable-zbh1-exact-semantics",
    "--curriculum-learning",
    "--curriculum-learning-legacy",
    "--data-efficiency-curriculum-learning",
    "--use-bnb-optimizer",
    "--embedding-weights-in-fp32",
    "--disable-mem-efficient-ln",
    "--glu-activation",
    "--pp-partition-method",
    "--pipeline-model-parallel-split-rank",
    "--memory-centric-tiled-linear",
    "--split-transformers"};

constexpr const char* kIdle[] = {
    // DeepSpeed
    "--deepspeed_mpi", "--deepscale", "--deepscale_config", "--universal-checkpoint", "--no-pipeline-parallel",
    "--force-ds-sequence-parallel", "--ds-sequence-parallel-fpdt-chunk-size", "--ds_fused_adam", "--cpu_torch_adam",
    "--deepspeed-activation-checkpointing", "--contigious-checkpointing", "--synchronize-each-layer",
    "--use-pin-memory", "--zero-contigious-gradients", "--zero-reduce-scatter", "--use-contiguous-buffers-in-ddp",
    "--no-contiguous-buffers-in-local-ddp", "--ds-inference", "--inference",
    // data, logs and checkpoints
    "--aml-data-download-path", "--train-data-exact-num-epochs", "--return-data-index", "--repeated-dataloader",
    "--use-dataset-only", "--codecarbon-dir", "--kill-switch-path", "--kill-switch-file", "--reset-iteration",
    "--iter-per-epoch", "--skip-train-iteration-range", "--tokenizer-name-or-path", "--train-weighted-split-paths*",
    "--valid-weighted-split-paths*", "--test-weighted-split-paths*", "--valid-num-workers", "--loss-on-targets-only",
    "--reweight-loss-based-on-position-frequency", "--train-desc-path", "--train-doc-idx-path", "--train-idx-path",
    "--train-sample-idx-path", "--train-shuffle-idx-path", "--abort-on-unmet-fused-kernel-constraints",
    "--sync-tp-duplicated-parameters",
    // learning rate, the router, scores
    "--override-lr-scheduler", "--use-checkpoint-lr-scheduler", "--warmup", "--head-lr-mult", "--layernorm-epsilon",
    "--no-query-key-layer-scaling", "--moe-loss-coeff", "--moe-eval-capacity-factor", "--moe-min-capacity",
    "--create-moe-param-group", "--disable-moe-top2-2nd-expert-sampling"};

}  // namespace

const ProgramFlags& megatron_deepspeed() {
  static const ProgramFlags kTable{"Megatron-DeepSpeed", kFieldFlags, kRules, kSwitches, kLost, kIdle, &megatron_lm()};
  return kTable;
}

}  // namespace planner::megatron
