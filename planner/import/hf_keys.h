// Keys, facts and rows that many architectures share.
#pragma once

#include "planner/import/hf_architecture.h"

namespace planner::hf {

// The keys that nearly all share, by the names of Llama's configuration.
inline constexpr ConfigKey kShape[] = {{"num_hidden_layers", "layers", kNeeded},
                                       {"hidden_size", "hidden", kNeeded},
                                       {"intermediate_size", "ffn", kNeeded},
                                       {"num_attention_heads", "heads", kNeeded},
                                       {"num_key_value_heads", "kv_heads"},
                                       {"head_dim", "head_dim"},
                                       {"vocab_size", "vocab", kNeeded},
                                       {"hidden_act|hidden_activation", "activation", "silu", KeyMeaning::activation}};

// By those of GPT-2's, and of models of its time.
inline constexpr ConfigKey kGpt2Shape[] = {
    {"n_layer|num_hidden_layers|n_layers", "layers", kNeeded},
    {"n_embd|hidden_size|n_embed|d_model", "hidden", kNeeded},
    {"n_head|num_attention_heads|n_heads", "heads", kNeeded},
    {"n_inner|ffn_hidden_size", "ffn"},
    {"vocab_size", "vocab", kNeeded},
    {"activation_function|activation", "activation", "gelu", KeyMeaning::activation}};

inline constexpr ConfigKey kMixedShape[] = {
    {"num_hidden_layers", "layers"},  // the list says it
    {"hidden_size", "hidden", kNeeded},
    {"intermediate_size_mlp|dense_intermediate_size|intermediate_size", "ffn"},
    {"num_attention_heads", "heads", kNeeded},
    {"num_key_value_heads", "kv_heads"},
    {"head_dim|attention_head_dim", "head_dim"},
    {"vocab_size", "vocab", kNeeded},
    {"hidden_act|mlp_hidden_act|hidden_activation", "activation", "silu", KeyMeaning::activation}};

inline constexpr ConfigKey kWindowed[] = {{"sliding_window", "window.size"}};
inline constexpr ConfigKey kLatent[] = {{"kv_lora_rank", "latent.rank", kNeeded},
                                        {"q_lora_rank", "latent.query_rank"},
                                        {"qk_nope_head_dim", "head_dim", kNeeded},
                                        {"qk_rope_head_dim", "latent.rotary_dim", kNeeded},
                                        {"v_head_dim", "latent.value_dim", kNeeded}};
inline constexpr ConfigKey kRouted[] = {
    {"n_routed_experts", "experts.count", kNeeded},        {"num_experts_per_tok", "experts.top_k", kNeeded},
    {"moe_intermediate_size", "experts.ffn", kNeeded},     {"n_shared_experts", "experts.shared"},
    {"first_k_dense_replace", "experts.first_dense", "0"}, {"num_nextn_predict_layers", "mtp"}};
inline constexpr ConfigKey kExperts[] = {
    {"num_experts|num_local_experts|moe_num_experts", "experts.count", kNeeded},
    {"num_experts_per_tok|moe_topk|moe_k|experts_per_token", "experts.top_k", kNeeded}};
inline constexpr ConfigKey kQkvBias[] = {{"attention_bias", "qkv_bias", "true"}};
inline constexpr ConfigKey kBiasAndQkNorm[] = {{"attention_bias", "qkv_bias", "false"},
                                               {"use_qk_norm", "qk_norm", "false"}};

inline constexpr ModelFact kPlainStyle[] = {{"bias", "false"}, {"norm", "rmsnorm"}};
inline constexpr ModelFact kLlamaStyle[] = {
    {"gated_mlp", "true"}, {"rotary", "true"}, {"bias", "false"}, {"norm", "rmsnorm"}};
inline constexpr ModelFact kRotary[] = {{"rotary", "true"}};
inline constexpr ModelFact kParallel[] = {{"parallel_block", "true"}};
inline constexpr ModelFact kQkNorm[] = {{"qk_norm", "true"}};
inline constexpr ModelFact kOneShared[] = {{"experts.shared", "1"}};

using MoreRule = void (*)(ConfigReader&);

/// A relative of Llama.
constexpr Architecture llama(const char* name, const char* model_type, const char* family, Keys keys = {},
                             Facts facts = {}, MoreRule more = nullptr) {
  return {name, model_type, family, kShape, keys, kLlamaStyle, facts, more};
}
/// A relative of DeepSeek, with latents and experts.
constexpr Architecture latent(const char* name, const char* model_type, const char* family, Keys shape, MoreRule more,
                              Keys routed) {
  return {name, model_type, family, shape, kLatent, kLlamaStyle, {}, more, "", routed};
}
/// It has experts.
constexpr Architecture routed(Architecture row, Keys keys = kExperts) {
  row.routed = keys;
  return row;
}
constexpr Architecture tied(Architecture row) {
  row.tied = "true";
  return row;
}
/// Its language model is a part of one that sees or hears.
constexpr Architecture in_text(Architecture row) {
  row.inside = "text_config";
  return row;
}

}  // namespace planner::hf
