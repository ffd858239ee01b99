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
    {.field = "parallelism.schedule", .when = has_pipeline, .rule = refuse_schedules},
    {.field = "software.schedule", .when = has_pipeline, .rule = refuse_schedules},
    {.field = "parallelism.cp", .name = "model.context_parallel_size"},
    {.field = "software.context", .when = splits_context, .rule = context},
    {.field = "parallelism.cp_inner", .when = has_inner_context, .rule = inner_context},
    {.field = "parallelism.expert_zero_group", .when = shards, .rule = keep_expert_shards},
    {.field = "parallelism.balance", .with = "parallelism.stages"},
    {.field = "software.balanced_context", .only = "true", .when = splits_context},
    {.field = "parallelism.ep", .name = "model.expert_model_parallel_size", .when = is_mixture},
    {.field = "parallelism.etp", .name = "model.expert_tensor_parallel_size", .when = is_mixture},
    {.field = "parallelism.sequence_parallel", .name = "model.sequence_parallel"},
    {.field = "parallelism.servers", .only = "0", .hint = "gradients are summed by collectives"},
    {.field = "job.document", .when = packs, .rule = refuse_packing},
    {.field = "job.phase", .only = "train"},
    {.field = "job.routing.capacity", .name = "model.moe_expert_capacity_factor", .when = has_capacity},
    {.field = "software.fusion.qkv", .only = "true"},
    {.field = "software.fusion.vector", .only = "false"},
    {.field = "software.optimizer_on", .only = "gpu"},
    {.field = "software.concurrency", .only = "sequential"},
    {.field = "software.fusion.softmax", .name = "model.masked_softmax_fusion"},
    {.field = "software.fusion.bias_activation", .name = "model.bias_activation_fusion"},
    {.field = "software.fusion.rope", .name = "model.apply_rope_fusion", .when = is_rotary},
    {.field = "software.fusion.cross_entropy", .name = "model.cross_entropy_loss_fusion"},
    {.field = "software.fusion.gradient", .name = "model.gradient_accumulation_fusion"},
    {.field = "software.fused_collectives", .only = "none", .when = splits_tensors},
    {.field = "software.experts.dispatch", .when = is_mixture, .rule = dispatch},
    {.field = "software.experts.grouped", .name = "model.moe_grouped_gemm", .when = is_mixture},
    {.field = "software.experts.permute", .name = "model.moe_permute_fusion", .when = is_mixture},
    {.field = "software.experts.overlap_shared", .name = "model.moe_shared_expert_overlap", .when = has_shared},
    {.field = "software.narrow_attention", .only = "false", .when = is_narrow},
    {.field = "software.narrow_head", .only = "false", .when = is_narrow},
    {.field = "software.fsdp", .with = "parallelism.zero"},
    {.field = "software.reshards_in_pipeline", .with = "parallelism.zero"},
    {.field = "software.scatter_gather", .only = "true", .when = has_pipeline},
    {.field = "software.reduce_scatter", .only = "true", .when = shards_states},
    {.field = "software.reduce_each_microbatch", .only = "false", .when = is_plain}};

constexpr ExportRow kShape[] = {
    {.field = "model.operators*", .rule = refuse_operators},
    {.field = "model.pattern", .rule = refuse_pattern},
    {.field = "model.mtp_pattern", .with = "model.pattern"},
    {.field = "model.kinds*", .with = "model.pattern"},
    {.field = "model.layers", .name = "model.num_layers"},
    {.field = "model.hidden", .name = "model.hidden_size"},
    {.field = "model.ffn", .name = "model.ffn_hidden_size"},
    {.field = "model.heads", .name = "model.num_attention_heads"},
    {.field = "model.kv_heads", .name = "model.num_query_groups"},
    {.field = "model.head_dim", .name = "model.kv_channels"},
    {.field = "model.token_types", .only = "0"},
    {.field = "model.tied_embeddings", .name = "model.share_embeddings_and_output_weights"},
    {.field = "model.causal", .only = "true"},
    {.field = "model.qkv_bias", .name = "model.add_qkv_bias"},
    {.field = "model.embedding_norm", .only = "false"},
    {.field = "model.parallel_block", .only = "false"},
    {.field = "model.head", .only = "lm"},
    {.field = "model.dropout", .rule = dropout},
    {.field = "model.qk_norm", .name = "model.qk_layernorm"},
    {.field = "model.post_norm", .only = "false"},
    {.field = "model.sinks", .only = "false"},
    {.field = "model.clamp", .name = "model.activation_func_clamp_value", .when = clamps},
    {.field = "model.mtp", .only = "0"},
    {.field = "model.predicted", .only = "1"},
    {.field = "model.latent.rank", .only = "0", .hint = "Megatron-LM has latent attention"},
    {.field = "model.latent.*", .with = "model.latent.rank"},
    {.field = "model.window.size", .only = "0"},
    {.field = "model.window.global_every", .with = "model.window.size"},
    {.field = "model.experts.count", .name = "model.num_moe_experts", .when = is_mixture},
    {.field = "model.experts.top_k", .name = "model.moe_router_topk", .when = is_mixture},
    {.field = "model.experts.ffn", .name = "model.moe_ffn_hidden_size", .when = is_mixture},
    {.field = "model.experts.shared_ffn", .name = "model.moe_shared_expert_intermediate_size", .when = has_shared},
    {.field = "model.experts.shared", .with = "model.experts.shared_ffn"},
    {.field = "model.experts.first_dense", .when = is_mixture, .rule = layers_with_experts},
    {.field = "model.experts.every", .with = "model.experts.first_dense"},
    {.field = "model.experts.groups", .name = "model.moe_router_num_groups", .when = has_groups},
    {.field = "model.experts.groups_per_token", .name = "model.moe_router_group_topk", .when = has_groups},
    {.field = "model.experts.shared_gate", .only = "false", .when = has_shared}};

}  // namespace

std::span<const ExportRow> core_rows() { return kRows; }
std::span<const ExportRow> core_shape_rows() { return kShape; }

}  // namespace planner::exporting
