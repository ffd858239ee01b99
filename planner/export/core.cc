// Megatron-Core's TransformerConfig (megatron/core/transformer/transformer_config.py, model_parallel_config.py), whose
// fields NeMo and Megatron-Bridge set in a section `model`.
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

constexpr ExportRow kRows[] = {
    {.field = "parallelism.tp", .name = "model.tensor_model_parallel_size"},
    {.field = "parallelism.pp", .name = "model.pipeline_model_parallel_size"},
    {.field = "parallelism.interleave", .name = "model.virtual_pipeline_model_parallel_size", .when = interleaves},
    {.field = "parallelism.schedule", .rule = refuse_schedules},
    {.field = "parallelism.cp", .name = "model.context_parallel_size"},
    {.field = "software.context", .rule = context},
    {.field = "parallelism.cp_inner", .rule = inner_context},
    {.field = "parallelism.expert_zero_group", .rule = keep_expert_shards},
    {.field = "parallelism.ep", .name = "model.expert_model_parallel_size"},
    {.field = "parallelism.etp", .name = "model.expert_tensor_parallel_size"},
    {.field = "parallelism.sequence_parallel", .name = "model.sequence_parallel"},
    {.field = "parallelism.servers", .hint = "gradients are summed by collectives"},
    {.field = "job.document", .rule = refuse_packing},
    {.field = "job.routing.capacity", .name = "model.moe_expert_capacity_factor", .when = has_capacity},
    {.field = "software.fusion.softmax", .name = "model.masked_softmax_fusion"},
    {.field = "software.fusion.bias_activation", .name = "model.bias_activation_fusion"},
    {.field = "software.fusion.rope", .name = "model.apply_rope_fusion"},
    {.field = "software.fusion.cross_entropy", .name = "model.cross_entropy_loss_fusion"},
    {.field = "software.fusion.gradient", .name = "model.gradient_accumulation_fusion"},
    {.field = "software.experts.dispatch", .rule = dispatch},
    {.field = "software.experts.grouped", .name = "model.moe_grouped_gemm"},
    {.field = "software.experts.permute", .name = "model.moe_permute_fusion"},
    {.field = "software.experts.overlap_shared", .name = "model.moe_shared_expert_overlap"},
    {.field = "software.reduce_each_microbatch", .only = "false", .when = is_plain}};

constexpr ExportRow kShape[] = {
    {.field = "model.operators*", .rule = refuse_operators},
    {.field = "model.pattern", .rule = refuse_pattern},
    {.field = "model.layers", .name = "model.num_layers"},
    {.field = "model.hidden", .name = "model.hidden_size"},
    {.field = "model.ffn", .name = "model.ffn_hidden_size"},
    {.field = "model.heads", .name = "model.num_attention_heads"},
    {.field = "model.kv_heads", .name = "model.num_query_groups"},
    {.field = "model.head_dim", .name = "model.kv_channels"},
    {.field = "model.tied_embeddings", .name = "model.share_embeddings_and_output_weights"},
    {.field = "model.qkv_bias", .name = "model.add_qkv_bias"},
    {.field = "model.dropout", .rule = dropout},
    {.field = "model.qk_norm", .name = "model.qk_layernorm"},
    {.field = "model.clamp", .name = "model.activation_func_clamp_value", .when = clamps},
    {.field = "model.latent.rank", .hint = "Megatron-LM has latent attention"},
    {.field = "model.experts.count", .name = "model.num_moe_experts", .when = is_mixture},
    {.field = "model.experts.top_k", .name = "model.moe_router_topk"},
    {.field = "model.experts.ffn", .name = "model.moe_ffn_hidden_size"},
    {.field = "model.experts.shared_ffn", .name = "model.moe_shared_expert_intermediate_size"},
    {.field = "model.experts.shared", .with = "model.experts.shared_ffn"},
    {.field = "model.experts.first_dense", .rule = layers_with_experts},
    {.field = "model.experts.groups", .name = "model.moe_router_num_groups"},
    {.field = "model.experts.groups_per_token", .name = "model.moe_router_group_topk"}};

}  // namespace

std::span<const ExportRow> core_rows() { return kRows; }
std::span<const ExportRow> core_shape_rows() { return kShape; }

}  // namespace planner::exporting
