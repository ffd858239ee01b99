#include <algorithm>
#include <array>
#include <initializer_list>

#include "planner/workload/passes/recompute.h"

namespace planner {
namespace {

constexpr std::array kCore{SavedRole::probabilities, SavedRole::probability_mask, SavedRole::probabilities_dropped};
constexpr std::array kHeads{SavedRole::query, SavedRole::key, SavedRole::value};
constexpr std::array kActivations{SavedRole::activation_terms, SavedRole::activation, SavedRole::activated};
// What norms write, and their backward pass or the linear layers behind them read.
constexpr std::array kNormed{SavedRole::norm_terms, SavedRole::attention_input, SavedRole::router_input,
                             SavedRole::mlp_input};
constexpr std::array kNormedInside{SavedRole::query_latent_normed, SavedRole::key_value_latent_normed,
                                   SavedRole::prediction_input};
constexpr std::array kOfMlp{SavedRole::hidden, SavedRole::activation_terms, SavedRole::activation,
                            SavedRole::activated};
constexpr std::array kOfExperts{SavedRole::router_scores, SavedRole::narrowed_tokens,  SavedRole::expert_input,
                                SavedRole::hidden,        SavedRole::activation_terms, SavedRole::activation,
                                SavedRole::activated,     SavedRole::expert_result};

constexpr std::array kEndOfCore{Role::weighted_values};
constexpr std::array kMlp{Role::fc1, Role::activation, Role::gate, Role::fc2};
constexpr std::array kExperts{Role::fc1,        Role::activation,    Role::gate,        Role::fc2,
                              Role::router,     Role::router_scores, Role::permute,     Role::dispatch,
                              Role::combine,    Role::shared_sum,    Role::shared_gate, Role::token_narrow,
                              Role::token_widen};

using Of = RecomputeModule::Of;
// Megatron-Core repeats core_attn, mlp, moe and shared_experts as functions, and for the others the dropped tensors
// (transformer_config.py, recompute_modules).
constexpr RecomputeModule kModules[] = {
    {Selective::core_attention, kCore, Of::all, kEndOfCore},
    {Selective::latent_up, kHeads, Of::latents},
    {Selective::activation, kActivations},
    {Selective::expert_activation, kActivations, Of::routed},
    {Selective::norm, kNormed},
    {Selective::inner_norm, kNormedInside},
    {Selective::mlp, kOfMlp, Of::dense, kMlp},
    {Selective::experts, kOfExperts, Of::mixture, kExperts},
    {Selective::shared_experts, kOfMlp, Of::shared, kMlp},
};

// A word that means several modules.
struct ModuleSet {
  Selective name;
  std::span<const Selective> modules;
};
constexpr std::array kCheap{Selective::activation, Selective::norm, Selective::inner_norm};
constexpr std::array kLatentAndCheap{Selective::latent_up, Selective::activation, Selective::norm,
                                     Selective::inner_norm};
constexpr ModuleSet kSets[] = {{Selective::mlp_and_norm, kCheap}, {Selective::latent_up_and_cheap, kLatentAndCheap}};

// The part of a layer that a module is about.
bool is_of(const RecomputeModule& module, const Block& layer, bool routed) {
  switch (module.of) {
    case Of::all:
    case Of::latents:
      return true;
    case Of::routed:
      return routed;
    case Of::dense:
      return !layer.layer.experts;
    case Of::mixture:
      return layer.layer.experts;
    case Of::shared:
      return layer.layer.experts && !routed;
  }
  return false;
}

/// A kept tensor and the roles of what makes it. A layer's own input is kept; that of a prediction layer is made. Side
/// by side with attention, the norm before it makes the input of MLP and router.
struct MakerRow {
  SavedRole saved;
  std::initializer_list<Role> makers;
};
constexpr MakerRow kMakers[] = {
    {SavedRole::listed, {Role::listed}},
    {SavedRole::embedded, {Role::embedding}},
    {SavedRole::layer_input, {Role::prediction_projection}},
    {SavedRole::norm_terms,
     {Role::attention_norm, Role::attention_post_norm, Role::mlp_norm, Role::mlp_post_norm, Role::query_latent_norm,
      Role::key_value_latent_norm, Role::prediction_embedding_norm, Role::prediction_hidden_norm,
      Role::embedding_norm}},
    {SavedRole::final_terms, {Role::final_norm}},
    {SavedRole::attention_input, {Role::attention_norm}},
    {SavedRole::query_latent, {Role::query_down}},
    {SavedRole::query_latent_normed, {Role::query_latent_norm}},
    {SavedRole::key_value_latent, {Role::key_value_down}},
    {SavedRole::key_value_latent_normed, {Role::key_value_latent_norm}},
    {SavedRole::heads_unnormed, {Role::qkv, Role::query, Role::key}},
    {SavedRole::query, {Role::qkv, Role::query, Role::query_up, Role::head_norm, Role::rotary}},
    {SavedRole::key, {Role::qkv, Role::key, Role::key_value_up, Role::head_norm, Role::rotary, Role::join_parts}},
    {SavedRole::value, {Role::qkv, Role::value, Role::key_value_up, Role::join_parts}},
    {SavedRole::probabilities, {Role::score, Role::scale, Role::mask, Role::softmax}},
    {SavedRole::probability_mask, {Role::probability_dropout}},
    {SavedRole::probabilities_dropped, {Role::probability_dropout}},
    {SavedRole::log_sum_exp, {Role::fused_attention}},
    {SavedRole::context, {Role::fused_attention, Role::weighted_values, Role::join_heads}},
    {SavedRole::context_exchanged, {Role::fused_attention}},
    {SavedRole::attention_result, {Role::attention_output}},
    {SavedRole::attention_residual_mask, {Role::attention_residual}},
    {SavedRole::middle_stream, {Role::attention_residual}},
    {SavedRole::selection_input, {Role::selection}},
    {SavedRole::attention_gate, {Role::qkv, Role::query}},
    {SavedRole::attention_gated, {Role::attention_gate}},
    {SavedRole::mixer_product, {Role::mixer_product}},
    {SavedRole::mixer_term, {Role::mixer_step, Role::scan}},
    {SavedRole::mlp_input, {Role::mlp_norm, Role::attention_norm}},
    {SavedRole::expert_input, {Role::permute, Role::dispatch}},
    {SavedRole::hidden, {Role::fc1}},
    {SavedRole::activation_terms, {Role::activation}},
    {SavedRole::activation, {Role::activation}},
    {SavedRole::activated, {Role::activation, Role::gate}},
    {SavedRole::mlp_result, {Role::fc2}},
    {SavedRole::mlp_residual_mask, {Role::mlp_residual}},
    {SavedRole::router_input, {Role::mlp_norm, Role::attention_norm}},
    {SavedRole::router_scores, {Role::router, Role::router_scores}},
    {SavedRole::expert_result, {Role::fc2}},
    {SavedRole::narrowed_tokens, {Role::token_narrow}},
    {SavedRole::prediction_input, {Role::prediction_embedding_norm, Role::prediction_hidden_norm}},
};

using Makers = std::array<bool, kRoleNames.size()>;
constexpr std::array<Makers, kSavedRoleNames.size()> kMakersOf = [] {
  std::array<Makers, kSavedRoleNames.size()> of{};
  for (const MakerRow& row : kMakers)
    for (const Role maker : row.makers) of[static_cast<size_t>(row.saved)][static_cast<size_t>(maker)] = true;
  return of;
}();

// The MLPs of a layer share their roles.
bool of_several_networks(SavedRole role) { return role >= SavedRole::hidden && role <= SavedRole::activated; }

}  // namespace

std::span<const RecomputeModule> recompute_modules() { return kModules; }

bool repeats(const Software& software, Selective module) {
  return std::ranges::any_of(software.selective, [&](Selective word) {
    const auto* set = std::ranges::find(kSets, word, &ModuleSet::name);
    return word == module || (set != std::end(kSets) && std::ranges::find(set->modules, module) != set->modules.end());
  });
}

bool drops(const Scenario& s, const RecomputeModule& module, const Block& layer, const Saved& saved) {
  if (module.of == Of::latents && s.model.latent.rank == 0) return false;
  return is_of(module, layer, saved.routed) && std::ranges::find(module.drops, saved.role) != module.drops.end();
}

bool holds_whole(const RecomputeModule& module, const Block& layer, const WorkOp& op) {
  return is_of(module, layer, op.routed) && std::ranges::find(module.whole, op.role) != module.whole.end();
}

bool makes(const WorkOp& op, const Saved& tensor) {
  if (tensor.role == SavedRole::adapter_output) return op.adapter;
  if (of_several_networks(tensor.role) && op.routed != tensor.routed) return false;
  return kMakersOf[static_cast<size_t>(tensor.role)][static_cast<size_t>(op.role)];
}

}  // namespace planner
