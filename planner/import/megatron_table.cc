#include "planner/import/megatron_table.h"

#include <algorithm>

namespace planner::megatron {
namespace {

constexpr ProgramWord kNorms[] = {{"rmsnorm", "RMSNorm"}, {"layernorm", "LayerNorm"}};
constexpr ProgramWord kSinks[] = {{"true", "learnable"}, {"false", "vanilla"}, {"false", "off-by-one"}};
constexpr const char *kExperts = "--num-experts", *kShared = "--moe-shared-expert-intermediate-size";

constexpr FieldFlag kFieldFlags[] = {
    {"--num-layers", "model.layers"},
    {"--encoder-num-layers", "model.layers"},
    {"--hidden-size", "model.hidden"},
    {"--ffn-hidden-size", "model.ffn"},
    {"--num-attention-heads", "model.heads"},
    {"--untie-embeddings-and-output-weights", "model.tied_embeddings", "false", {}, "true"},
    {"--disable-bias-linear", "model.bias", "false"},
    {"--add-qkv-bias", "model.qkv_bias", "true"},
    {"--normalization", "model.norm", nullptr, kNorms},
    {"--qk-layernorm", "model.qk_norm", "true"},
    {"--qk-l2-norm", "model.qk_norm", "true"},
    {"--activation-func-clamp-value", "model.clamp"},
    {"--softmax-type", "model.sinks", nullptr, kSinks},
    {"--mtp-num-layers", "model.mtp"},
    {"--num-experts", "model.experts.count"},
    {"--moe-router-topk", "model.experts.top_k", nullptr, {}, "2", kExperts},
    {"--moe-ffn-hidden-size", "model.experts.ffn", nullptr, {}, nullptr, kExperts},
    {"--moe-shared-expert-intermediate-size", "model.experts.shared_ffn", nullptr, {}, nullptr, kExperts},
    {"--moe-shared-expert-gate", "model.experts.shared_gate", "true", {}, nullptr, kShared},
    {"--moe-router-num-groups", "model.experts.groups"},
    {"--moe-router-group-topk", "model.experts.groups_per_token"},
    {"--seq-length", "job.sequence"},
    {"--encoder-seq-length", "job.sequence"},
    {"--global-batch-size", "job.global_batch", nullptr, {}, "parallelism.microbatch * parallelism.dp"},
    {"--moe-expert-capacity-factor", "job.routing.capacity"},
    {"--muon-num-ns-steps", "job.muon.steps"},
    {"--micro-batch-size", "parallelism.microbatch"},
    {"--tensor-model-parallel-size", "parallelism.tp"},
    {"--pipeline-model-parallel-size", "parallelism.pp"},
    {"--context-parallel-size", "parallelism.cp"},
    {"--expert-model-parallel-size", "parallelism.ep"},
    {"--expert-tensor-parallel-size", "parallelism.etp", nullptr, {}, "parallelism.tp", kExperts},
    {"--num-virtual-stages-per-pipeline-rank", "parallelism.interleave"},
    {"--use-tp-pp-dp-mapping", "parallelism.order", "tp-cp-ep-pp-dp"},
    {"--no-gradient-accumulation-fusion", "software.fusion.gradient", "false"},
    {"--no-bias-gelu-fusion", "software.fusion.bias_activation", "false"},
    {"--no-bias-swiglu-fusion", "software.fusion.bias_activation", "false"},
    {"--no-bias-dropout-fusion", "software.fusion.bias_dropout_add", "false"},
    {"--no-masked-softmax-fusion", "software.fusion.softmax", "false"},
    {"--no-rope-fusion", "software.fusion.rope", "false"},
    {"--cross-entropy-loss-fusion", "software.fusion.cross_entropy", "true"},
    {"--tp-comm-overlap", "software.overlap.tensor", "true"},
    {"--no-overlap-p2p-communication", "software.overlap.pipeline", "false"},
    {"--no-scatter-gather-tensors-in-pipeline", "software.scatter_gather", "false"},
    {"--cp-comm-type", "software.context", nullptr, kContexts},
    {"--moe-token-dispatcher-type", "software.experts.dispatch", nullptr, kDispatchers, "all-gather", kExperts},
    {"--moe-grouped-gemm", "software.experts.grouped", "true", {}, "false", kExperts},
    {"--moe-permute-fusion", "software.experts.permute", "true", {}, "false", kExperts},
    {"--overlap-moe-expert-parallel-comm", "software.experts.overlap", "true"},
    {"--moe-shared-expert-overlap", "software.experts.overlap_shared", "true"},
    {"--fp8-param-gather", "software.gather_bytes", "1"},
};

constexpr const char* kRuleFlags[] = {
    // a file with all others
    "--yaml-cfg",
    // the model
    "--kv-channels", "--num-query-groups", "--max-position-embeddings", "--position-embedding-type", "--vocab-size",
    "--padded-vocab-size", "--make-vocab-size-divisible-by", "--tokenizer-type", "--attention-dropout",
    "--hidden-dropout", "--window-size", "--window-attn-skip-freq", "--q-lora-rank", "--kv-lora-rank", "--qk-head-dim",
    "--qk-pos-emb-head-dim", "--v-head-dim", "--moe-layer-freq",
    // the job
    "--train-iters", "--train-samples", "--fp8-format", "--fp8-recipe", "--fp4-format", "--optimizer", "--muon-tp-mode",
    // the layout
    "--num-layers-per-virtual-pipeline-stage", "--data-parallel-sharding-strategy",
    "--num-distributed-optimizer-instances", "--recompute-granularity", "--recompute-method", "--recompute-num-layers",
    "--recompute-modules", "--optimizer-offload-fraction", "--cpu-offloading-num-layers", "--offload-modules",
    "--activation-offload-fraction", "--hierarchical-context-parallel-sizes", "--decoder-first-pipeline-num-layers",
    "--decoder-last-pipeline-num-layers", "--pipeline-model-parallel-layout", "--nproc-per-node", "--nproc_per_node",
    "--nnodes", "--num_gpus", "--num_nodes", "--include",
    // software
    "--attention-backend", "--transformer-impl", "--main-grads-dtype", "--main-params-dtype", "--exp-avg-dtype",
    "--exp-avg-sq-dtype", "--ddp-bucket-size", "--moe-flex-dispatcher-backend", "--cuda-graph-impl",
    "--cuda-graph-scope", "--cuda-graph-modules",
    // kinds of layers
    "--spec", "--hybrid-layer-pattern", "--hybrid-override-pattern", "--mtp-hybrid-override-pattern",
    "--hybrid-attention-ratio", "--hybrid-mlp-ratio", "--mamba-state-dim", "--mamba-head-dim", "--mamba-num-groups",
    "--mamba-num-heads", "--experimental-attention-variant", "--linear-attention-freq", "--linear-conv-kernel-dim",
    "--linear-key-head-dim", "--linear-value-head-dim", "--linear-num-key-heads", "--linear-num-value-heads",
    "--dsa-indexer-n-heads", "--dsa-indexer-head-dim", "--dsa-indexer-topk", "--dsa-indexer-topk-freq",
    "--dsa-indexer-skip-topk-offset", "--dsa-indexer-loss-coeff", "--moe-latent-size", "--mhc-num-residual-streams"};
constexpr const char* kRuleSwitches[] = {
    // the job and the model
    "--qk-clip", "--group-query-attention", "--use-rotary-position-embeddings", "--swiglu", "--quick-geglu",
    "--squared-relu", "--multi-latent-attention",
    // precision and layout
    "--bf16", "--fp16", "--sequence-parallel", "--use-distributed-optimizer", "--use-torch-fsdp2",
    "--torch-fsdp2-no-reshard-after-forward", "--use-megatron-fsdp", "--use-custom-fsdp", "--recompute-activations",
    "--optimizer-cpu-offload", "--cpu-offload", "--fine-grained-activation-offloading",
    "--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split",
    // software
    "--use-flash-attn", "--overlap-grad-reduce", "--overlap-param-gather", "--grad-reduce-in-bf16",
    "--accumulate-allreduce-grads-in-fp32", "--use-precision-aware-optimizer", "--enable-cuda-graph",
    "--external-cuda-graph",
    // kinds of layers
    "--is-hybrid-model", "--attention-output-gate", "--enable-mhc-connections"};

constexpr const char* kLost[] = {
    // batches, the optimizer and types
    "--rampup-batch-size", "--muon-no-split-qkv", "--muon-fp32-matmul-prec", "--muon-use-syrk",
    "--first-last-layers-bf16", "--fp32-residual-connection", "--no-fp8-wgrad",
    // how the step runs
    "--distribute-saved-activations", "--moe-layer-recompute", "--use-sharp", "--delay-wgrad-compute",
    "--defer-embedding-wgrad-compute", "--overlap-param-gather-with-optimizer-step", "--deterministic-mode",
    // other models and older names
    "--heterogeneous-layers-config-path", "--heterogeneous-layers-config-encoded-json", "--retro-add-retriever",
    "--perform-rl-step", "--no-rope-freq", "--moe-extended-tp", "--use-legacy-models",
    "--delta-offload-bytes-across-pp-ranks", "--decoder-num-layers", "--decoder-seq-length", "--use-checkpoint-args",
    "--use-mp-args-from-checkpoint-args", "--model-parallel-size", "--batch-size", "--checkpoint-activations",
    // experts, masks, kernels
    "--moe-pad-expert-input-to-capacity", "--moe-token-dropping", "--standalone-embedding-stage",
    "--reset-attention-mask", "--kitchen-config-file", "--kitchen-recipe-number",
    "--apply-residual-connection-post-layernorm", "--ddp-reduce-scatter-with-fp32-accumulation",
    // kinds of layers
    "--disable-mamba-mem-eff-path", "--mamba-training-ssm-states-dtype", "--gdp-num-householder",
    "--dsa-indexer-use-sparse-loss", "--mhc-recompute-layer-num", "--mtp-use-repeated-layer", "--mtp-hsm"};

constexpr const char* kIdle[] = {
    // data and tokenizer
    "--data-impl", "--mmap-warmup", "--DDP-impl", "--data-path", "--train-data-path", "--valid-data-path",
    "--test-data-path", "--data-args-path", "--per-split-data-args-path", "--data-cache-path", "--split", "--mock-data",
    "--no-mmap-bin-files", "--vocab-file", "--merge-file", "--tokenizer-model", "--tokenizer-metadata", "--tiktoken-*",
    "--legacy-tokenizer", "--trust-remote-code", "--vocab-extra-ids", "--num-workers", "--dataloader-type",
    "--reset-position-ids", "--eod-mask-loss", "--no-create-attention-mask-in-dataloader",
    "--num-dataset-builder-threads", "--object-storage-cache-path", "--mid-level-dataset-surplus",
    "--allow-ambiguous-pad-tokens", "--sample-rate", "--mask-prob", "--short-seq-prob", "--seed", "--sft",
    "--sft-tokenizer-prompt-format",
    // learning rate, regularisation, initial values
    "--lr", "--lr-*", "--min-lr", "--decoupled-lr", "--decoupled-min-lr", "--override-opt*", "--use-checkpoint-opt*",
    "--weight-decay", "--weight-decay-incr-style", "--start-weight-decay", "--end-weight-decay", "--clip-grad",
    "--adam-*", "--sgd-momentum", "--muon-*", "--init-method-*", "--embedding-init-method-std",
    "--data-parallel-random-init", "--no-initialization", "--use-cpu-initialization", "--norm-epsilon",
    "--apply-layernorm-1p", "--openai-gelu", "--no-position-embedding", "--rotary-*", "--use-rope-scaling", "--rope-*",
    "--mscale", "--mscale-all-dim", "--beta-fast", "--beta-slow", "--mtp-loss-scaling-factor", "--glu-linear-offset",
    "--loss-scale", "--initial-loss-scale", "--min-loss-scale", "--loss-scale-window", "--hysteresis",
    "--calculate-per-token-loss", "--apply-query-key-layer-scaling", "--attention-softmax-in-fp32",
    "--fp16-lm-cross-entropy", "--disable-bf16-reduced-precision-matmul", "--fp8-margin", "--fp8-interval",
    "--fp8-amax-*", "--moe-router-load-balancing-type", "--moe-router-dtype", "--moe-router-fusion",
    "--moe-router-score-function", "--moe-router-pre-softmax", "--moe-router-topk-scaling-factor",
    "--moe-router-enable-expert-bias", "--moe-router-bias-update-rate", "--moe-router-force-load-balancing",
    "--moe-router-padding-for-fp8", "--moe-aux-loss-coeff", "--moe-z-loss-coeff", "--moe-input-jitter-eps",
    "--moe-per-layer-logging", "--moe-token-drop-policy", "--moe-enable-deepep", "--moe-deepep-num-sms",
    "--moe-hybridep-num-sms", "--moe-flex-dispatcher-num-sms", "--moe-router-padding-for-quantization",
    "--moe-use-legacy-grouped-gemm", "--moe-apply-probs-on-input", "--moe-use-upcycling", "--moe-upcycling-granularity",
    "--apply-wd-to-qk-layernorm",
    // kernels of mixers, and how an indexer scores
    "--use-mamba-mem-eff-path", "--no-use-mamba-mem-eff-path", "--mamba-inference-*", "--gdp-cutedsl-kernel",
    "--dsa-kernel-backend", "--dsa-indexer-rope-interleaved", "--dsa-indexer-k-norm-*", "--no-dsa-indexer-*",
    "--disable-dsa-indexer-*", "--mhc-sinkhorn-iterations", "--mhc-init-gating-factor",
    // checkpoints, logs, evaluation, profiling
    "--save", "--save-*", "--persistent-save-interval", "--load", "--load-*", "--no-save-*", "--no-load-*",
    "--non-persistent-*", "--finetune", "--pretrained-checkpoint", "--ckpt-*", "--no-ckpt-*", "--dist-ckpt-*",
    "--use-dist-ckpt", "--auto-detect-ckpt-format", "--exit-on-missing-checkpoint", "--async-save", "--async-strategy",
    "--async-ckpt-use-cpu-shm", "--use-persistent-ckpt-worker", "--no-use-tokenizer-model-from-checkpoint-args",
    "--distrib-optim-*", "--no-strict-fsdp-dtensor-load", "--replication*", "--log-*", "--no-log-*", "--logging-level",
    "--tensorboard-*", "--wandb-*", "--timing-log-*", "--no-barrier-with-level-1-timing", "--one-logger-*",
    "--no-one-logger", "--app-tag-*", "--config-logger-dir", "--eval-*", "--full-validation",
    "--multiple-validation-sets", "--test-mode", "--skip-train", "--exit-*", "--profile", "--profile-*",
    "--use-pytorch-profiler", "--nvtx-ranges", "--record-memory-history", "--memory-snapshot-path", "--straggler-*",
    "--disable-straggler-on-startup", "--run-workload-inspector-server", "--check-*",
    "--no-check-for-nan-in-loss-and-grad", "--rerun-mode", "--error-injection-*", "--inprocess-*",
    "--enable-ft-package", "--calc-ft-timeouts", "--iterations-to-skip", "--result-rejected-tracker-filename",
    "--adlr-autoresume*", "--dump-param-to-param-group-map",
    // launching, buffers, and defaults of the software profile
    "--master-addr", "--master_addr", "--master-port", "--master_port", "--node-rank", "--node_rank", "--rdzv*",
    "--max-restarts", "--max_restarts", "--standalone", "--local-rank", "--local_rank", "--tee", "--log_dir",
    "--redirects", "--module", "--jobid", "--wait", "--kill-on-bad-exit", "--container-*", "--output", "--hostfile",
    "--launcher", "--exclude", "--force_multi", "--no-python", "--no_python", "--distributed-backend",
    "--distributed-timeout-*", "--lazy-mpu-init", "--use-mcore-models", "--use-ring-exchange-p2p",
    "--no-async-tensor-model-parallel-allreduce", "--no-persist-layer-norm", "--manual-gc", "--manual-gc-interval",
    "--no-manual-gc-eval", "--ddp-num-buckets", "--ddp-pad-buckets-for-high-nccl-busbw", "--ddp-average-in-collective",
    "--no-align-grad-reduce", "--no-align-param-gather", "--no-gradient-reduce-div-fusion", "--use-nccl-ub",
    "--disable-symmetric-registration", "--nccl-communicator-config-path", "--sharp-enabled-group",
    "--fsdp-double-buffer", "--suggested-communication-unit-size", "--keep-fp8-transpose-cache",
    "--enable-full-sharding-in-hsdp", "--init-model-with-meta-device", "--tp-comm-overlap-cfg", "--disable-tp-comm-*",
    "--tp-comm-overlap-rs-dgrad", "--tp-comm-bootstrap-backend", "--pipeline-model-parallel-comm-backend",
    "--high-priority-stream-groups", "--disable-gloo-process-groups", "--empty-unused-memory-level",
    "--train-sync-interval", "--te-rng-tracker", "--inference-*", "--cuda-graph-warmup-steps",
    "--overlap-p2p-communication-warmup-flush", "--microbatch-group-size-per-virtual-pipeline-stage",
    "--wgrad-deferral-limit", "--cross-entropy-fusion-impl", "--use-te-activation-func",
    "--use-fused-weighted-squared-relu", "--no-clone-scatter-output-in-embedding",
    "--use-torch-optimizer-for-cpu-offload", "--overlap-cpu-optimizer-d2h-h2d", "--no-pin-cpu-grads",
    "--no-pin-cpu-params", "--min-offloaded-tensor-size", "--delay-offload-until-cuda-graph",
    "--fine-grained-offloading-max-inflight-offloads", "--enable-experimental", "--disable-msc",
    "--reuse-grad-buf-for-mxfp8-param-ag", "--num-layers-at-start-in-bf16", "--num-layers-at-end-in-bf16",
    "--decrease-batch-size-if-needed", "--qk-clip-alpha", "--qk-clip-threshold", "--use-one-sent-docs",
    "--bert-no-binary-head", "--onnx-safe", "--export-*"};

bool matches(std::string_view flag, std::string_view row) {
  return row.ends_with('*') ? flag.starts_with(row.substr(0, row.size() - 1)) : flag == row;
}

bool is_in(std::string_view flag, std::span<const char* const> rows) {
  return std::ranges::any_of(rows, [&](const char* row) { return matches(flag, row); });
}

}  // namespace

const FieldFlag* ProgramFlags::field_of(std::string_view flag) const {
  const auto row = std::ranges::find(fields, flag, &FieldFlag::name);
  if (row != fields.end()) return &*row;
  return base && role_of(flag) == base->role_of(flag) ? base->field_of(flag) : nullptr;
}

FlagRole ProgramFlags::role_of(std::string_view flag) const {
  if (std::ranges::find(fields, flag, &FieldFlag::name) != fields.end()) return FlagRole::field;
  if (is_in(flag, rules)) return FlagRole::rule;
  if (is_in(flag, on_rules)) return FlagRole::on_rule;
  if (is_in(flag, lost)) return FlagRole::lost;
  if (is_in(flag, idle)) return FlagRole::idle;
  return base ? base->role_of(flag) : FlagRole::unknown;
}

bool ProgramFlags::reads(std::string_view flag) const {
  const FlagRole role = role_of(flag);
  return role == FlagRole::field || role == FlagRole::rule || role == FlagRole::on_rule;
}

bool ProgramFlags::is_switch(std::string_view flag) const {
  const FieldFlag* field = field_of(flag);
  return field ? field->value != nullptr : role_of(flag) == FlagRole::on_rule;
}

std::vector<std::string> ProgramFlags::names() const {
  std::vector<std::string> all = base ? base->names() : std::vector<std::string>{};
  for (const FieldFlag& row : fields) all.emplace_back(row.name);
  for (const auto& rows_of_role : {rules, on_rules, lost, idle})
    for (const char* name : rows_of_role) all.emplace_back(name);
  return all;
}

std::string ours_of(std::span<const ProgramWord> words, std::string_view theirs) {
  const auto word = std::ranges::find(words, theirs, &ProgramWord::theirs);
  return word == words.end() ? "" : word->ours;
}

const ProgramFlags& megatron_lm() {
  static constexpr ProgramFlags kTable{"Megatron-LM", kFieldFlags, kRuleFlags, kRuleSwitches, kLost, kIdle};
  return kTable;
}

}  // namespace planner::megatron
