#include "planner/plan/anatomy.h"

#include "planner/workload/overlap.h"

namespace planner {
namespace {

// Sublayers that are one part, whatever their operators do; null: the role says it.
const char* part_of_sublayer(Sublayer sublayer) {
  switch (sublayer) {
    case Sublayer::embedding:
      return "embedding";
    case Sublayer::head:
      return "output";
    case Sublayer::optimizer:
    case Sublayer::data_parallel:
    case Sublayer::offload:
      return "optimizer";
    case Sublayer::experts:
      return "experts";
    case Sublayer::mixer:
      return "recurrence";
    case Sublayer::fixed:
      return "fixed";
    case Sublayer::pipeline:
      return "communication";
    case Sublayer::attention:
    case Sublayer::mlp:
    case Sublayer::residual:
      return nullptr;
  }
  return nullptr;
}

/// Roles of attention, of a dense MLP and of the residual stream. Where nothing is fused, the second bias of a sublayer
/// is a kernel between its GEMM and the dropout, and of the GEMM's role. Projections of attention have no row: linear.
struct PartRow {
  Role role;
  const char* part;
};
constexpr PartRow kRows[] = {
    {Role::score, "attention-gemm"},
    {Role::weighted_values, "attention-gemm"},
    {Role::fused_attention, "attention-gemm"},
    {Role::scale, "softmax"},
    {Role::mask, "softmax"},
    {Role::softmax, "softmax"},
    {Role::probability_dropout, "softmax"},
    {Role::split_heads, "heads"},
    {Role::join_heads, "heads"},
    {Role::rotary, "heads"},
    {Role::join_parts, "heads"},
    {Role::head_norm, "heads"},
    {Role::query_latent_norm, "heads"},
    {Role::key_value_latent_norm, "heads"},
    {Role::fc1, "fc"},
    {Role::fc2, "fc"},
    {Role::activation, "activation"},
    {Role::gate, "activation"},
    {Role::attention_norm, "residual"},
    {Role::attention_post_norm, "residual"},
    {Role::attention_residual, "residual"},
    {Role::mlp_norm, "residual"},
    {Role::mlp_post_norm, "residual"},
    {Role::mlp_residual, "residual"},
    {Role::prediction_embedding_norm, "residual"},
    {Role::prediction_hidden_norm, "residual"},
    {Role::prediction_projection, "residual"},
};

}  // namespace

const char* part_of(const WorkOp& op) {
  if (is_communication(op.op)) return "communication";
  if (const char* part = part_of_sublayer(op.sublayer)) return part;
  for (const PartRow& row : kRows)
    if (row.role == op.role) return row.part;
  return "linear";
}

}  // namespace planner
