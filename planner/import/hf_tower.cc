#include "planner/import/hf_tower.h"

#include <cmath>
#include <cstdlib>
#include <initializer_list>

#include "dsl/raw_text.h"

namespace planner::hf {
namespace {

/// The numbers of a configuration.
class TowerNumbers {
 public:
  TowerNumbers(const dsl::Node& config, dsl::Diagnostics& diagnostics) : config_(config), diagnostics_(diagnostics) {}

  /// Returns the first of the keys that is there.
  double operator()(std::initializer_list<const char*> keys, double otherwise = 0) const {
    for (const char* key : keys)
      if (const dsl::Node* value = config_.find(key); value && value->kind != dsl::Node::Kind::null) return of(*value);
    return otherwise;
  }
  double items(const char* key) const {
    const dsl::Node* list = config_.find(key);
    return list ? static_cast<double>(list->items.size()) : 0;
  }

 private:
  double of(const dsl::Node& value) const {
    char* end = nullptr;
    const double number = std::strtod(value.text.c_str(), &end);
    if (!value.text.empty() && *end == '\0' && std::isfinite(number) && number >= 0) return number;
    diagnostics_.error(value.span, "expected a number, got '" + dsl::shortened(value.text) + "'");
    return 0;
  }

  const dsl::Node& config_;
  dsl::Diagnostics& diagnostics_;
};

// Groups of merge x merge patches become one token: an MLP as wide as they are together, for the last layer and for
// each that feeds the language model early (Qwen3-VL's deepstack).
double mergers(const TowerNumbers& number, double hidden, double out) {
  const double side = number({"spatial_merge_size"}, 2);
  if (out == 0) return 0;
  const double joined = hidden * side * side, count = 1 + number.items("deepstack_visual_indexes");
  return count * (joined * joined + joined * out);
}

}  // namespace

double tower_parameters(const dsl::Node& config, dsl::Diagnostics& diagnostics) {
  const TowerNumbers number(config, diagnostics);
  const double layers = number({"depth", "num_hidden_layers", "vt_num_hidden_layers"}),
               inner = number({"embed_dim"}),  // Qwen2-VL: `hidden_size` is that of the language model
      hidden = inner > 0 ? inner : number({"hidden_size", "vt_hidden_size", "width"}),
               out = number({"out_hidden_size", "text_hidden_size", inner > 0 ? "hidden_size" : "out_hidden_size"}),
               ffn = number({"intermediate_size", "vt_intermediate_size"}, number({"mlp_ratio"}, 4) * hidden),
               heads = number({"qkv_hidden_size"}, hidden);
  const double patch = number({"patch_size"}), channels = number({"in_channels", "num_channels"}, 3),
               frames = number({"temporal_patch_size"}, 1);
  const double layer = 4 * hidden * heads + 2 * hidden * ffn + 9 * hidden + ffn;
  const double positions = number({"num_position_embeddings", "position_embedding_size"});
  return layers * layer + (channels * patch * patch * frames + positions) * hidden + mergers(number, hidden, out);
}

}  // namespace planner::hf
