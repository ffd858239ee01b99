// Keys and facts that many architectures share.
#pragma once

#include "planner/import/hf_table.h"

namespace planner::hf {

// The keys that nearly all share, by the names of Llama's configuration.
inline constexpr Key kShape[] = {
    {"num_hidden_layers", "layers", kNeeded}, {"hidden_size", "hidden", kNeeded},
    {"intermediate_size", "ffn", kNeeded},    {"num_attention_heads", "heads", kNeeded},
    {"num_key_value_heads", "kv_heads"},      {"head_dim", "head_dim"},
    {"vocab_size", "vocab", kNeeded},         {"hidden_act|hidden_activation", "activation", "silu", Kind::activation},
};

inline constexpr Key kUntied[] = {{"tie_word_embeddings", "tied_embeddings", "false"}};

inline constexpr Key kTied[] = {{"tie_word_embeddings", "tied_embeddings", "true"}};

inline constexpr Key kWindowed[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                                    {"sliding_window", "window.size"}};

inline constexpr Key kLatent[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                                  {"kv_lora_rank", "latent.rank", kNeeded},
                                  {"q_lora_rank", "latent.query_rank"},
                                  {"qk_nope_head_dim", "head_dim", kNeeded},
                                  {"qk_rope_head_dim", "latent.rotary_dim", kNeeded},
                                  {"v_head_dim", "latent.value_dim", kNeeded}};

inline constexpr Key kRouted[] = {
    {"n_routed_experts", "experts.count", kNeeded},        {"num_experts_per_tok", "experts.top_k", kNeeded},
    {"moe_intermediate_size", "experts.ffn", kNeeded},     {"n_shared_experts", "experts.shared"},
    {"first_k_dense_replace", "experts.first_dense", "0"}, {"num_nextn_predict_layers", "mtp"}};

inline constexpr Key kMixedShape[] = {
    {"num_hidden_layers", "layers"},  // the list says it
    {"hidden_size", "hidden", kNeeded},
    {"intermediate_size_mlp|dense_intermediate_size|intermediate_size", "ffn"},
    {"num_attention_heads", "heads", kNeeded},
    {"num_key_value_heads", "kv_heads"},
    {"head_dim|attention_head_dim", "head_dim"},
    {"vocab_size", "vocab", kNeeded},
    {"hidden_act|mlp_hidden_act|hidden_activation", "activation", "silu", Kind::activation}};

inline constexpr Fact kPlainStyle[] = {{"bias", "false"}, {"norm", "rmsnorm"}};

inline constexpr Fact kLlamaStyle[] = {
    {"gated_mlp", "true"}, {"rotary", "true"}, {"bias", "false"}, {"norm", "rmsnorm"}};

inline constexpr Fact kNeoxStyle[] = {{"rotary", "true"}};

inline constexpr Fact kQkNorm[] = {{"qk_norm", "true"}};

}  // namespace planner::hf
