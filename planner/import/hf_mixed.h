// Architectures whose layers are of unlike kinds.
#pragma once

namespace planner::hf {

class ConfigReader;

/// Reads what says of each layer how it mixes tokens (`layer_types`, `full_attention_interval`, `linear_attn_config`,
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
