#include <array>

#include "planner/workload/passes/recompute.h"

namespace planner {
namespace {

constexpr std::array kCoreDrops{SavedRole::probabilities, SavedRole::probability_mask,
                                SavedRole::probabilities_dropped};
constexpr std::array kCoreRepeats{
    Role::score, Role::scale, Role::mask, Role::softmax, Role::probability_dropout, Role::weighted_values};

// Up-projections, rotation and joining run again from the kept latents.
constexpr std::array kHeadsDrops{SavedRole::query, SavedRole::key, SavedRole::value};
constexpr std::array kHeadsRepeats{Role::query_up, Role::key_value_up, Role::rotary, Role::join_parts};

// The product with the gate too, where it is a kernel of its own.
constexpr std::array kActivationDrops{SavedRole::activation_terms, SavedRole::activation, SavedRole::activated};
constexpr std::array kActivationRepeats{Role::activation, Role::gate};

constexpr std::array kNormRepeats{Role::attention_norm, Role::attention_post_norm,       Role::mlp_norm,
                                  Role::mlp_post_norm,  Role::query_latent_norm,         Role::key_value_latent_norm,
                                  Role::head_norm,      Role::prediction_embedding_norm, Role::prediction_hidden_norm};
// What a norm writes, and the linear layers behind it read.
constexpr std::array kNormDrops{SavedRole::attention_input, SavedRole::router_input, SavedRole::mlp_input,
                                SavedRole::query_latent_normed, SavedRole::key_value_latent_normed};

using Of = RecomputeModule::Of;
constexpr RecomputeModule kModules[] = {
    {Selective::core_attention, kCoreDrops, kCoreRepeats},
    {Selective::mlp_and_norm, kActivationDrops, kActivationRepeats},
    {Selective::mlp_and_norm, {}, kNormRepeats},
    {Selective::latent_up, kHeadsDrops, kHeadsRepeats, Of::latents},
    {Selective::expert_activation, kActivationDrops, kActivationRepeats, Of::routed},
    {Selective::latent_up_and_cheap, kHeadsDrops, kHeadsRepeats, Of::latents},
    {Selective::latent_up_and_cheap, kActivationDrops, kActivationRepeats},
    {Selective::latent_up_and_cheap, kNormDrops, kNormRepeats, Of::unrouted},
};

constexpr MakerRow kMakers[] = {
    {SavedRole::layer_input, Role::prediction_projection},  // of a prediction layer; a layer's own is kept
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
    {SavedRole::query, Role::rotary},
    {SavedRole::key, Role::qkv},
    {SavedRole::key, Role::key},
    {SavedRole::key, Role::key_value_up},
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
    {SavedRole::context_exchanged, Role::context_transfer},
    {SavedRole::attention_result, Role::attention_output},
    {SavedRole::attention_residual_mask, Role::attention_residual},
    {SavedRole::middle_stream, Role::attention_residual},
    {SavedRole::mlp_input, Role::mlp_norm},
    {SavedRole::mlp_input, Role::permute},
    {SavedRole::mlp_input, Role::dispatch},
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
    {SavedRole::prediction_input, Role::prediction_embedding_norm},
    {SavedRole::prediction_input, Role::prediction_hidden_norm},
};

}  // namespace

std::span<const RecomputeModule> recompute_modules() { return kModules; }
std::span<const MakerRow> makers() { return kMakers; }

}  // namespace planner
