#include "planner/import/hf_tower.h"

#include <cstdlib>
#include <initializer_list>

namespace planner::hf {
namespace {

double number(const dsl::Node& config, std::initializer_list<const char*> keys, double otherwise = 0) {
  for (const char* key : keys)
    if (const dsl::Node* value = config.find(key); value && !value->text.empty())
      return std::strtod(value->text.c_str(), nullptr);
  return otherwise;
}

// Groups of merge x merge patches become one token: an MLP as wide as they are together, for the last layer and for
// each that feeds the language model early (Qwen3-VL's deepstack).
double mergers(const dsl::Node& config, double hidden) {
  const double out = number(config, {"out_hidden_size", "text_hidden_size"}),
               side = number(config, {"spatial_merge_size"}, 2);
  if (out == 0) return 0;
  const dsl::Node* early = config.find("deepstack_visual_indexes");
  const double joined = hidden * side * side, count = 1 + (early ? static_cast<double>(early->items.size()) : 0);
  return count * (joined * joined + joined * out);
}

}  // namespace

double tower_parameters(const dsl::Node& config) {
  const double layers = number(config, {"depth", "num_hidden_layers", "vt_num_hidden_layers"}),
               hidden = number(config, {"hidden_size", "vt_hidden_size", "width"}),
               ffn = number(config, {"intermediate_size", "vt_intermediate_size"}, 4 * hidden),
               heads = number(config, {"qkv_hidden_size"}, hidden);
  const double patch = number(config, {"patch_size"}), channels = number(config, {"in_channels", "num_channels"}, 3),
               frames = number(config, {"temporal_patch_size"}, 1);
  const double layer = 4 * hidden * heads + 2 * hidden * ffn + 9 * hidden + ffn;
  const double positions = number(config, {"num_position_embeddings", "position_embedding_size"});
  return layers * layer + (channels * patch * patch * frames + positions) * hidden + mergers(config, hidden);
}

}  // namespace planner::hf
