// The role of an operator in a layer, and of a kept tensor: the words by which passes and policies identify them.
//
// The functions of lower/ that write an operator or keep a tensor give it its role. Gradients, casts and biases of a
// linear layer, copies that run again, and collectives attached to an operator have the role of what they belong to.
// Names are for people: no pass compares them (tests/lint.sh).
#pragma once

#include <cstddef>

#include "dsl/enum_words.h"

namespace planner {

/// Role of an operator. MLP roles (fc1 to fc2) are those of a dense MLP, of routed and of shared experts alike:
/// `routed` and the sublayer distinguish them.
enum class Role {
  none,    // outside layers: once-a-step work, transfers between GPU and host
  listed,  // of a model that is a fixed list of operators
  // the ends of the model
  embedding,
  position,
  embedding_norm,
  embedding_dropout,
  masked_transform,  // BERT's dense layer before the decoder
  masked_activation,
  pooler,
  next_sentence,
  final_norm,
  logits,
  loss,
  metrics,
  // attention
  attention_norm,
  qkv,
  query,
  key,
  value,
  query_down,  // latents: narrow projections, their norms, and back to every head
  query_latent_norm,
  query_up,
  key_value_down,
  key_value_latent_norm,
  key_value_up,
  head_norm,  // of every query and key head
  rotary,
  join_parts,  // builds a head's key and value from the latents' outputs
  split_heads,
  score,
  scale,
  mask,
  softmax,
  probability_dropout,
  weighted_values,  // probabilities times values
  join_heads,
  fused_attention,
  selection,         // of the keys that a query attends to: projections, scores and choice
  attention_gate,    // product of attention's output with its gate
  context_transfer,  // keys and values, or heads, between context ranks
  attention_output,
  attention_post_norm,
  attention_residual,  // dropout and sum behind attention
  stream_mix,          // of several residual streams
  // steps of a mixer
  mixer_product,
  mixer_step,      // a kernel bound by memory
  scan,            // the recurrence
  state_transfer,  // states between context ranks
  // MLP and experts
  mlp_norm,
  fc1,
  activation,
  gate,  // product with the gate, if it is a separate kernel
  fc2,
  mlp_post_norm,
  mlp_residual,
  router,
  router_scores,
  permute,
  dispatch,
  combine,
  shared_sum,  // adds the shared experts' result
  shared_gate,
  token_narrow,  // before routed experts, and back to the model's width behind them
  token_widen,
  // prediction layers
  prediction_embedding_norm,
  prediction_hidden_norm,
  prediction_projection,
};
inline constexpr auto& kRoleNames = dsl::kEnumWords<Role>;
inline const char* name(Role r) { return kRoleNames[static_cast<size_t>(r)]; }

/// Whether the role lies between QK^T and PV of unfused attention, the part that selective recompute (Korthikanti et
/// al. 2022) repeats.
constexpr bool is_core_attention(Role r) { return r >= Role::score && r <= Role::weighted_values; }

/// Role of a tensor that is kept from forward to backward.
enum class SavedRole {
  none,    // short-lived, or represents what a policy keeps
  listed,  // of a fixed list of operators
  embedding_mask,
  embedded,       // rows of the embedding
  final_states,   // input of the head's norm
  head_input,     // of the logits
  layer_input,    // the residual stream before the layer
  middle_stream,  // the residual stream between attention and MLP
  streams,        // further residual streams
  // attention
  attention_input,
  query_latent,
  query_latent_normed,
  key_value_latent,
  key_value_latent_normed,
  heads_unnormed,  // queries and keys before their norm
  query,
  key,
  value,
  probabilities,
  probability_mask,
  probabilities_dropped,
  log_sum_exp,
  context,
  context_exchanged,  // as the kernel wrote it, if the projection reads another tensor
  attention_result,
  attention_residual_mask,
  selection_input,  // queries and keys of the indexer
  attention_gate,   // the gate of attention's output
  attention_gated,  // the product with it
  mixer_product,    // output of a linear step of a mixer
  mixer_term,       // what another step wrote
  // MLP and experts
  mlp_input,         // of a dense MLP or of shared experts
  expert_input,      // tokens as they reach routed experts
  hidden,            // output of the first linear layer
  activation_terms,  // of an activation that is several kernels
  activation,        // before the product with the gate
  activated,         // input of the second linear layer
  mlp_result,
  mlp_residual_mask,
  router_input,
  router_scores,
  expert_result,
  narrowed_tokens,  // routed experts' input before it is sent
  prediction_input,
  adapter_output,  // of the first matrix of a low-rank adapter
  norm_terms,      // of a norm that is a kernel for each operation
  final_terms,     // the same of the head's
};
inline constexpr auto& kSavedRoleNames = dsl::kEnumWords<SavedRole>;
inline const char* name(SavedRole r) { return kSavedRoleNames[static_cast<size_t>(r)]; }

}  // namespace planner
