// Megatron-Core's TransformerConfig (megatron/core/transformer/transformer_config.py, model_parallel_config.py), whose
// fields NeMo and Megatron-Bridge set in a section `model`. Most have the names of flags of Megatron-LM.
#include "planner/export/core_rules.h"
#include "planner/export/table.h"
#include "planner/workload/partition.h"

namespace planner::exporting {
namespace {

void context(Writer& w) { put_context(w, "model.cp_comm_type"); }
void inner_context(Writer& w) {
  w.put("model.hierarchical_context_parallel_sizes", "[" + ring_of_heads(w.s, ", ") + "]");
}
void dispatch(Writer& w) { put_dispatch(w, "model.moe_token_dispatcher_type", "model.moe_flex_dispatcher_backend"); }

void dropout(Writer& w) { put_dropout(w, "model.hidden_dropout", "model.attention_dropout"); }

/// One figure for each layer: 1 with experts.
void layers_with_experts(Writer& w) {
  std::string list;
  for (const LayerKind& kind : layers_of(w.s.model))
    list += (list.empty() ? "[" : ", ") + std::string(kind.experts ? "1" : "0");
  w.put("model.moe_layer_freq", list + "]");
}

constexpr const char* kDegrees[] = {"parallelism.tp", "parallelism.pp", "parallelism.interleave",
                                    "parallelism.cp", "parallelism.ep", "parallelism.etp"};
constexpr const char* kKeys[] = {"software.fusion.softmax",        "software.fusion.rope",
                                 "software.fusion.cross_entropy",  "software.fusion.gradient",
                                 "software.experts.grouped",       "software.experts.permute",
                                 "software.experts.overlap_shared"};
constexpr const char* kShapeKeys[] = {"model.layers",
                                      "model.hidden",
                                      "model.ffn",
                                      "model.heads",
                                      "model.tied_embeddings",
                                      "model.qkv_bias",
                                      "model.qk_norm",
                                      "model.clamp",
                                      "model.experts.count",
                                      "model.experts.top_k",
                                      "model.experts.ffn",
                                      "model.experts.shared_ffn",
                                      "model.experts.groups",
                                      "model.experts.groups_per_token"};

constexpr ExportRow kRows[] = {
    {.field = "parallelism.schedule", .rule = refuse_schedules},
    {.field = "software.context", .rule = context},
    {.field = "parallelism.cp_inner", .rule = inner_context},
    {.field = "parallelism.expert_zero_group", .rule = keep_expert_shards},
    {.field = "parallelism.sequence_parallel", .name = "model.sequence_parallel"},
    {.field = "parallelism.servers", .hint = "gradients are summed by collectives"},
    {.field = "job.document", .rule = refuse_packing},
    {.field = "job.routing.capacity", .name = "model.moe_expert_capacity_factor", .when = has_capacity},
    {.field = "software.fusion.bias_activation", .name = "model.bias_activation_fusion"},
    {.field = "software.experts.dispatch", .rule = dispatch},
    {.field = "software.reduce_each_microbatch", .only = "false", .when = is_plain}};

constexpr ExportRow kShape[] = {
    {.field = "model.operators*", .rule = refuse_operators},
    {.field = "model.pattern", .rule = refuse_pattern},
    {.field = "model.kv_heads", .name = "model.num_query_groups"},
    {.field = "model.head_dim", .name = "model.kv_channels"},
    {.field = "model.dropout", .rule = dropout},
    {.field = "model.latent.rank", .hint = "Megatron-LM has latent attention"},
    {.field = "model.experts.shared", .with = "model.experts.shared_ffn"},
    {.field = "model.experts.first_dense", .rule = layers_with_experts},
};

}  // namespace

std::vector<ExportRow> core_layout_rows(const char* section) { return rows_of_keys(kDegrees, section); }

std::span<const ExportRow> core_rows() {
  static const std::vector<ExportRow> kAll = joined({kRows, rows_of_keys(kKeys, "model")});
  return kAll;
}

std::span<const ExportRow> core_shape_rows() {
  static const std::vector<ExportRow> kAll = joined({kShape, rows_of_keys(kShapeKeys, "model")});
  return kAll;
}

}  // namespace planner::exporting
