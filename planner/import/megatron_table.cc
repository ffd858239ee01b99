#include "planner/import/megatron_table.h"

#include <algorithm>

namespace planner::megatron {
namespace {

constexpr FieldFlag kFieldFlags[] = {
    {"--num-layers", "model.layers"},
    {"--encoder-num-layers", "model.layers"},
    {"--hidden-size", "model.hidden"},
    {"--num-attention-heads", "model.heads"},
    {"--disable-bias-linear", "model.bias", "false"},
    {"--qk-layernorm", "model.qk_norm", "true"},
    {"--qk-l2-norm", "model.qk_norm", "true"},
    {"--mtp-num-layers", "model.mtp"},
    {"--num-experts", "model.experts.count"},
    {"--moe-router-num-groups", "model.experts.groups"},
    {"--moe-router-group-topk", "model.experts.groups_per_token"},
    {"--seq-length", "job.sequence"},
    {"--encoder-seq-length", "job.sequence"},
    {"--moe-expert-capacity-factor", "job.routing.capacity"},
    {"--micro-batch-size", "parallelism.microbatch"},
    {"--tensor-model-parallel-size", "parallelism.tp"},
    {"--pipeline-model-parallel-size", "parallelism.pp"},
    {"--context-parallel-size", "parallelism.cp"},
    {"--expert-model-parallel-size", "parallelism.ep"},
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
    {"--overlap-moe-expert-parallel-comm", "software.experts.overlap", "true"},
    {"--moe-shared-expert-overlap", "software.experts.overlap_shared", "true"},
    {"--fp8-param-gather", "software.gather_bytes", "1"},
    {"--fp8-output-proj", "software.narrow_head", "true"},
};

constexpr const char* kRuleFlags[] = {
    // a file with all others
    "--yaml-cfg",
    // the model
    "--ffn-hidden-size", "--kv-channels", "--num-query-groups", "--max-position-embeddings",
    "--position-embedding-type", "--normalization", "--vocab-size", "--padded-vocab-size",
    "--make-vocab-size-divisible-by", "--tokenizer-type", "--attention-dropout", "--hidden-dropout", "--window-size",
    "--window-attn-skip-freq", "--softmax-type", "--activation-func-clamp-value", "--q-lora-rank", "--kv-lora-rank",
    "--qk-head-dim", "--qk-pos-emb-head-dim", "--v-head-dim", "--moe-router-topk", "--moe-ffn-hidden-size",
    "--moe-shared-expert-intermediate-size", "--moe-layer-freq",
    // the job
    "--global-batch-size", "--train-iters", "--train-samples", "--fp8-format", "--fp8-recipe", "--fp4-format",
    "--optimizer", "--muon-tp-mode", "--muon-num-ns-steps",
    // the layout
    "--num-layers-per-virtual-pipeline-stage", "--expert-tensor-parallel-size", "--data-parallel-sharding-strategy",
    "--num-distributed-optimizer-instances", "--recompute-granularity", "--recompute-method", "--recompute-num-layers",
    "--recompute-modules", "--optimizer-offload-fraction", "--cpu-offloading-num-layers", "--offload-modules",
    "--activation-offload-fraction", "--hierarchical-context-parallel-sizes", "--decoder-first-pipeline-num-layers",
    "--decoder-last-pipeline-num-layers", "--pipeline-model-parallel-layout", "--nproc-per-node", "--nproc_per_node",
    "--nnodes", "--num_gpus", "--num_nodes", "--include",
    // software
    "--attention-backend", "--transformer-impl", "--cp-comm-type", "--main-grads-dtype", "--main-params-dtype",
    "--exp-avg-dtype", "--exp-avg-sq-dtype", "--ddp-bucket-size", "--moe-token-dispatcher-type",
    "--moe-flex-dispatcher-backend", "--cuda-graph-impl", "--cuda-graph-scope", "--cuda-graph-modules",
    // kinds of layers
    "--spec", "--hybrid-layer-pattern", "--hybrid-override-pattern", "--mtp-hybrid-override-pattern",
    "--hybrid-attention-ratio", "--hybrid-mlp-ratio", "--mamba-state-dim", "--mamba-head-dim", "--mamba-num-groups",
    "--mamba-num-heads", "--experimental-attention-variant", "--linear-attention-freq", "--linear-conv-kernel-dim",
    "--linear-key-head-dim", "--linear-value-head-dim", "--linear-num-key-heads", "--linear-num-value-heads",
    "--dsa-indexer-n-heads", "--dsa-indexer-head-dim", "--dsa-indexer-topk", "--dsa-indexer-topk-freq",
    "--dsa-indexer-skip-topk-offset", "--dsa-indexer-loss-coeff", "--moe-latent-size", "--mhc-num-residual-streams",
    // of earlier versions
    "--checkpoint-num-layers", "--activations-checkpoint-method", "--activations-checkpoint-num-layers"};
constexpr const char* kRuleSwitches[] = {
    // the job and the model
    "--qk-clip", "--group-query-attention", "--use-rotary-position-embeddings", "--swiglu", "--quick-geglu",
    "--squared-relu", "--add-qkv-bias", "--untie-embeddings-and-output-weights", "--multi-latent-attention",
    // precision and layout
    "--bf16", "--fp16", "--sequence-parallel", "--use-distributed-optimizer", "--use-torch-fsdp2",
    "--torch-fsdp2-no-reshard-after-forward", "--use-megatron-fsdp", "--use-custom-fsdp", "--recompute-activations",
    "--optimizer-cpu-offload", "--cpu-offload", "--fine-grained-activation-offloading",
    "--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split",
    // software
    "--use-flash-attn", "--overlap-grad-reduce", "--overlap-param-gather", "--grad-reduce-in-bf16",
    "--accumulate-allreduce-grads-in-fp32", "--use-precision-aware-optimizer", "--moe-grouped-gemm",
    "--moe-permute-fusion", "--enable-cuda-graph", "--external-cuda-graph",
    // kinds of layers
    "--is-hybrid-model", "--attention-output-gate", "--moe-shared-expert-gate", "--enable-mhc-connections",
    // of earlier versions
    "--checkpoint-activations"};

bool is_in(std::string_view flag, std::span<const char* const> rows) {
  return std::ranges::any_of(rows, [&](const char* row) { return flag == row; });
}

/// Null if no row has the name.
template <typename Row> const Row* row_of(std::string_view flag, std::span<const Row> rows) {
  const auto row = std::ranges::find(rows, flag, &Row::name);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

const FieldFlag* ProgramFlags::field_of(std::string_view flag) const {
  if (const FieldFlag* row = row_of(flag, fields)) return row;
  return base && role_of(flag) == base->role_of(flag) ? base->field_of(flag) : nullptr;
}

const LostFlag* ProgramFlags::lost_of(std::string_view flag) const {
  const LostFlag* row = row_of(flag, lost);
  return row || !base ? row : base->lost_of(flag);
}

const RefusedFlag* ProgramFlags::refused_of(std::string_view flag) const {
  const RefusedFlag* row = row_of(flag, refused);
  return row || !base ? row : base->refused_of(flag);
}

FlagRole ProgramFlags::role_of(std::string_view flag) const {
  if (row_of(flag, fields)) return FlagRole::field;
  if (is_in(flag, rules)) return FlagRole::rule;
  if (is_in(flag, on_rules)) return FlagRole::on_rule;
  if (row_of(flag, refused)) return FlagRole::refused;
  if (row_of(flag, lost)) return FlagRole::lost;
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
  for (const RefusedFlag& row : refused) all.emplace_back(row.name);
  for (const LostFlag& row : lost) all.emplace_back(row.name);
  for (const auto& rows_of_role : {rules, on_rules, idle})
    for (const char* name : rows_of_role) all.emplace_back(name);
  return all;
}

const ProgramFlags& megatron_lm() {
  static const ProgramFlags kTable{"Megatron-LM",   kFieldFlags,  kRuleFlags,  kRuleSwitches,
                                   refused_flags(), lost_flags(), idle_flags()};
  return kTable;
}

}  // namespace planner::megatron
