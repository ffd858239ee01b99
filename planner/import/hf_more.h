// Properties of an architecture that depend on several keys of its configuration.
#pragma once

namespace planner::hf {

class ConfigReader;

/// Reads `attention_bias` and `mlp_bias`. Detects the generation by its vocabulary and sequence length, since many
/// other models have Llama's architecture.
void llama_biases_and_family(ConfigReader& reader);
/// Reads `layer_types`, a list with "sliding_attention" or "full_attention" for each layer.
void layer_types(ConfigReader& reader);
/// Reads `use_sliding_window` and `max_window_layers`: that many first layers have no window.
void qwen_window(ConfigReader& reader);
/// Reads `mlp_only_layers`, and the window.
void qwen_experts(ConfigReader& reader);
/// Reads `n_group`, `topk_group` and `topk_method`.
void expert_groups(ConfigReader& reader);
/// Reads what `expert_groups` does, and `moe_layer_freq`.
void deepseek_routing(ConfigReader& reader);

/// Reads `sliding_window` and `sliding_window_pattern`, a number or a text such as "LLLG", or `layer_types`.
void exaone_window(ConfigReader& reader);
/// Warns where the last layers have no experts (`moe_layer_end_index`).
void ernie_last_layer(ConfigReader& reader);
/// Reads `new_decoder_architecture`, `multi_query` and `alibi`.
void falcon_heads(ConfigReader& reader);
/// Reads `attn_config`.
void mpt_attention(ConfigReader& reader);
/// Warns where embeddings are narrower than layers.
void opt_embedding(ConfigReader& reader);
/// LongCat-Flash: each layer is two of attention and MLP, with experts parallel to the first MLP, some of which compute
/// nothing (`zero_expert_num`).
void shortcut_layers(ConfigReader& reader);

// Architectures with layers of different kinds (hf_mixed.cc).
/// Reads the token mixer of each layer (`layer_types`, `full_attention_interval`, `linear_attn_config`,
/// `sparse_attention_config`, `compress_ratios`, an indexer) and whether it has experts (`first_k_dense_replace`,
/// `moe_layer_freq`, `mlp_only_layers`, `interleave_moe_layer_step`).
void mixed_layers(ConfigReader& reader);
/// Reads what `deepseek_routing` does, and the layers.
void latent_mixed_layers(ConfigReader& reader);
/// Reads `hybrid_override_pattern` or `layers_block_type` (Nemotron-H): each part is a layer.
void hybrid_parts(ConfigReader& reader);
/// Reads `block_configs` (Puzzle, arXiv:2411.19146): heads and widths of each layer.
void searched_blocks(ConfigReader& reader);

}  // namespace planner::hf
