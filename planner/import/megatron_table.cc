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
    {"--fp8-output-proj", "software.narrow_head", "true"},
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
    "--dsa-indexer-skip-topk-offset", "--dsa-indexer-loss-coeff", "--moe-latent-size", "--mhc-num-residual-streams",
    // of earlier versions
    "--checkpoint-num-layers", "--activations-checkpoint-method", "--activations-checkpoint-num-layers"};
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
    "--is-hybrid-model", "--attention-output-gate", "--enable-mhc-connections",
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

std::string ours_of(std::span<const ProgramWord> words, std::string_view theirs) {
  const auto word = std::ranges::find(words, theirs, &ProgramWord::theirs);
  return word == words.end() ? "" : word->ours;
}

const ProgramFlags& megatron_lm() {
  static const ProgramFlags kTable{"Megatron-LM",   kFieldFlags,  kRuleFlags,  kRuleSwitches,
                                   refused_flags(), lost_flags(), idle_flags()};
  return kTable;
}

}  // namespace planner::megatron
