// Models with layers of Mamba and RWKV-7.
#pragma once

namespace planner::hf {

class ConfigReader;

/// All layers are the same recurrence.
void mamba_layers(ConfigReader& reader);
void mamba2_layers(ConfigReader& reader);
/// RWKV-7's time mixing, and an MLP behind each.
void rwkv_layers(ConfigReader& reader);
/// Recurrences and a few layers of attention, each followed by an MLP or experts (`attn_layer_indices`, `layer_types`;
/// Jamba: periods and offsets).
void mamba2_hybrid(ConfigReader& reader);
void mamba_hybrid(ConfigReader& reader);

}  // namespace planner::hf
