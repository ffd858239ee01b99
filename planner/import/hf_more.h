// What an architecture's configuration says in more than one key.
#pragma once

namespace planner::hf {

class ConfigReader;

/// Reads `attention_bias` and `mlp_bias`; tells the generation by its vocabulary and sequence length, as many other
/// models have Llama's architecture.
void llama_biases_and_family(ConfigReader& reader);
/// Reads `layer_types`, a list with "sliding_attention" or "full_attention" for each layer.
void layer_types(ConfigReader& reader);
/// Reads `use_sliding_window` and `max_window_layers`: the first so many layers have no window.
void qwen_window(ConfigReader& reader);
/// Reads `mlp_only_layers`, and the window.
void qwen_experts(ConfigReader& reader);
/// Reads `n_group`, `topk_group` and `topk_method`.
void expert_groups(ConfigReader& reader);
/// Reads what `expert_groups` does, and `moe_layer_freq`.
void deepseek_routing(ConfigReader& reader);

}  // namespace planner::hf
