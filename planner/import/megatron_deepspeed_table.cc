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
    "--remote-device", "--glu-activation", "--pp-partition-method"};

constexpr const char* kSwitches[] = {"--deepspeed",
                                     "--no-position-embedding",
                                     "--disable-moe-token-dropping",
                                     "--enable-expert-tensor-parallelism",
                                     "--checkpoint-in-cpu",
                                     "--cpu-optimizer",
                                     "--fp8-hybrid",
                                     "--fp8-e4m3",
                                     "--use-flash-attn-v1",
                                     "--use-flash-attn-v2",
                                     "--use-flash-attn-triton",
                                     "--use-flash-attn-builder",
                                     "--use-bnb-optimizer"};

constexpr RefusedFlag kRefused[] = {
    // other models
    {"--kd", "distills a teacher, a second model"},
    {"--mos", "distills a teacher, a second model"},
    {"--num-experts-switch", "routes the tokens of each layer to experts", "`--num-experts N` does"},
    // memory
    {"--disable-mem-efficient-ln", "keeps the inputs of norms"},
    // shards and offloading
    {"--partition-activations", "shards what full recompute keeps", "`--sequence-parallel` does so too", "",
     "--checkpoint-activations"},
    {"--scattered-embeddings", "shards the embedding's output", "`--sequence-parallel` does so too"},
    {"--ds-sequence-parallel-fpdt", "divides a sequence into chunks"},
    {"--ds-sequence-parallel-fpdt-offloading", "offloads chunks of a sequence"},
    {"--memory-centric-tiled-linear", "divides matrices into tiles"},
    {"--random-ltd", "drops tokens in the layers between"}};

constexpr LostFlag kLost[] = {
    // how the step runs
    {"--use-tutel"},
    {"--enable-zbh1-exact-semantics"},
    {"--split-transformers"},
    // the first steps
    {"--data-efficiency-curriculum-learning"}};

constexpr const char* kIdle[] = {
    // DeepSpeed
    "--deepscale", "--deepscale_config", "--deepspeed_mpi", "--universal-checkpoint", "--no-pipeline-parallel",
    "--force-ds-sequence-parallel", "--ds-sequence-parallel-fpdt-chunk-size", "--ds_fused_adam", "--cpu_torch_adam",
    "--deepspeed-activation-checkpointing", "--contigious-checkpointing", "--synchronize-each-layer",
    "--use-pin-memory", "--zero-contigious-gradients", "--zero-reduce-scatter", "--zero-reduce-bucket-size",
    "--zero-allgather-bucket-size", "--ds-inference", "--inference", "--tile-factor", "--profile_steps",
    // what --kd reads
    "--load-teacher", "--kd-alpha-ce", "--kd-beta-ce", "--kd-temp", "--hidden-size-teacher",
    "--num-attention-heads-teacher", "--num-experts-teacher", "--num-layers-teacher",
    // data, logs and checkpoints
    "--load-tag", "--log-optimizer-states-to-tensorboard", "--profile-backward", "--aml-data-download-path",
    "--train-data-exact-num-epochs", "--return-data-index", "--repeated-dataloader", "--use-dataset-only",
    "--codecarbon-dir", "--kill-switch-path", "--kill-switch-file", "--reset-iteration", "--skip-train-iteration-range",
    "--tokenizer-name-or-path", "--train-weighted-split-paths", "--valid-weighted-split-paths",
    "--test-weighted-split-paths", "--train-weighted-split-paths-path", "--valid-weighted-split-paths-path",
    "--test-weighted-split-paths-path", "--valid-num-workers", "--loss-on-targets-only",
    "--reweight-loss-based-on-position-frequency", "--train-desc-path", "--train-doc-idx-path", "--train-idx-path",
    "--train-sample-idx-path", "--train-shuffle-idx-path", "--abort-on-unmet-fused-kernel-constraints",
    "--sync-tp-duplicated-parameters", "--layernorm-tp-auto-sync", "--eval-only", "--log-path", "--log-level",
    "--log-level-replica", "--noise-density", "--noise_density", "--mean-noise-span-length", "--mean_noise_span_length",
    // learning rate, the router, scores
    "--lr-decay-tokens", "--lr-warmup-tokens", "--no-load-lr-state", "--rotary-position-embeddings-theta",
    "--moe-eval-capacity-factor", "--moe-min-capacity", "--create-moe-param-group",
    "--disable-moe-top2-2nd-expert-sampling"};

}  // namespace

const ProgramFlags& megatron_deepspeed() {
  static const ProgramFlags kTable{"Megatron-DeepSpeed", kFieldFlags, kRules, kSwitches, kRefused, kLost, kIdle,
                                   &megatron_lm()};
  return kTable;
}

}  // namespace planner::megatron
