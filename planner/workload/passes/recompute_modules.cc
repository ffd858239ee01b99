#include <array>

#include "planner/workload/passes/recompute.h"

namespace planner {
namespace {

constexpr std::array kCore{SavedRole::probabilities, SavedRole::probability_mask, SavedRole::probabilities_dropped};
constexpr std::array kHeads{SavedRole::query, SavedRole::key, SavedRole::value};
constexpr std::array kActivations{SavedRole::activation_terms, SavedRole::activation, SavedRole::activated};
// What norms write, and their backward pass or the linear layers behind them read.
constexpr std::array kNormed{SavedRole::norm_terms,          SavedRole::attention_input,
                             SavedRole::router_input,        SavedRole::mlp_input,
                             SavedRole::query_latent_normed, SavedRole::key_value_latent_normed,
                             SavedRole::prediction_input};

using Of = RecomputeModule::Of;
constexpr RecomputeModule kModules[] = {
    {Selective::core_attention, kCore},
    {Selective::mlp_and_norm, kActivations},
    {Selective::mlp_and_norm, kNormed},
    {Selective::latent_up, kHeads, Of::latents},
    {Selective::expert_activation, kActivations, Of::routed},
    {Selective::latent_up_and_cheap, kHeads, Of::latents},
    {Selective::latent_up_and_cheap, kActivations},
    {Selective::latent_up_and_cheap, kNormed},
};

struct MakerRow {
  SavedRole saved;
  Role maker;
};
constexpr MakerRow kMakers[] = {
    {SavedRole::listed, Role::listed},
    {SavedRole::embedded, Role::embedding},
    {SavedRole::layer_input, Role::prediction_projection},  // of a prediction layer; a layer's own is kept
    {SavedRole::norm_terms, Role::attention_norm},
    {SavedRole::norm_terms, Role::attention_post_norm},
    {SavedRole::norm_terms, Role::mlp_norm},
    {SavedRole::norm_terms, Role::mlp_post_norm},
    {SavedRole::norm_terms, Role::query_latent_norm},
    {SavedRole::norm_terms, Role::key_value_latent_norm},
    {SavedRole::norm_terms, Role::prediction_embedding_norm},
    {SavedRole::norm_terms, Role::prediction_hidden_norm},
    {SavedRole::final_terms, Role::final_norm},
    {SavedRole::norm_terms, Role::embedding_norm},
    {SavedRole::attention_input, Role::attention_norm},
    {SavedRole::query_latent, Role::query_down},
    {SavedRole::query_latent_normed, Role::query_latent_norm},
    {SavedRole::key_value_latent, Role::key_value_down},
    {SavedRole::key_value_latent_normed, Role::key_value_latent_norm},
    {SavedRole::heads_unnormed, Role::qkv},
    {SavedRole::heads_unnormed, Role::query},
    {SavedRole::heads_unnormed, Role::key},
    {SavedRole::query, Role::qkv},
    {SavedRole::query, Role::query},
    {SavedRole::query, Role::query_up},
    {SavedRole::query, Role::head_norm},
    {SavedRole::query, Role::rotary},
    {SavedRole::key, Role::qkv},
    {SavedRole::key, Role::key},
    {SavedRole::key, Role::key_value_up},
    {SavedRole::key, Role::head_norm},
    {SavedRole::key, Role::rotary},
    {SavedRole::key, Role::join_parts},
    {SavedRole::value, Role::qkv},
    {SavedRole::value, Role::value},
    {SavedRole::value, Role::key_value_up},
    {SavedRole::value, Role::join_parts},
    {SavedRole::probabilities, Role::score},
    {SavedRole::probabilities, Role::scale},
    {SavedRole::probabilities, Role::mask},
    {SavedRole::probabilities, Role::softmax},
    {SavedRole::probability_mask, Role::probability_dropout},
    {SavedRole::probabilities_dropped, Role::probability_dropout},
    {SavedRole::log_sum_exp, Role::fused_attention},
    {SavedRole::context, Role::fused_attention},
    {SavedRole::context, Role::weighted_values},
    {SavedRole::context, Role::join_heads},
    {SavedRole::context_exchanged, Role::fused_attention},
    {SavedRole::attention_result, Role::attention_output},
    {SavedRole::attention_residual_mask, Role::attention_residual},
    {SavedRole::middle_stream, Role::attention_residual},
    {SavedRole::selection_input, Role::selection},
    {SavedRole::attention_gate, Role::qkv},
    {SavedRole::attention_gate, Role::query},
    {SavedRole::attention_gated, Role::attention_gate},
    {SavedRole::mixer_product, Role::mixer_product},
    {SavedRole::mixer_term, Role::mixer_step},
    {SavedRole::mixer_term, Role::scan},
    {SavedRole::mlp_input, Role::mlp_norm},
    {SavedRole::mlp_input, Role::attention_norm},  // side by side with attention
    {SavedRole::expert_input, Role::permute},
    {SavedRole::expert_input, Role::dispatch},
    {SavedRole::hidden, Role::fc1},
    {SavedRole::activation_terms, Role::activation},
    {SavedRole::activation, Role::activation},
    {SavedRole::activated, Role::activation},
    {SavedRole::activated, Role::gate},
    {SavedRole::mlp_result, Role::fc2},
    {SavedRole::mlp_residual_mask, Role::mlp_residual},
    {SavedRole::router_input, Role::mlp_norm},
    {SavedRole::router_input, Role::attention_norm},  // side by side with attention
    {SavedRole::router_scores, Role::router},
    {SavedRole::router_scores, Role::router_scores},
    {SavedRole::expert_result, Role::fc2},
    {SavedRole::narrowed_tokens, Role::token_narrow},
    {SavedRole::prediction_input, Role::prediction_embedding_norm},
    {SavedRole::prediction_input, Role::prediction_hidden_norm},
};

using Makers = std::array<bool, kRoleNames.size()>;
constexpr std::array<Makers, kSavedRoleNames.size()> kMakersOf = [] {
  std::array<Makers, kSavedRoleNames.size()> of{};
  for (const MakerRow& row : kMakers) of[static_cast<size_t>(row.saved)][static_cast<size_t>(row.maker)] = true;
  return of;
}();

// The MLPs of a layer share their roles.
bool of_several_networks(SavedRole role) { return role >= SavedRole::hidden && role <= SavedRole::activated; }

}  // namespace

std::span<const RecomputeModule> recompute_modules() { return kModules; }

bool makes(const WorkOp& op, const Saved& tensor) {
  if (tensor.role == SavedRole::adapter_output) return op.adapter;
  if (of_several_networks(tensor.role) && op.routed != tensor.routed) return false;
  return kMakersOf[static_cast<size_t>(tensor.role)][static_cast<size_t>(op.role)];
}

}  // namespace planner
