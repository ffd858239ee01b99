#include "planner/import/hf_experts.h"

#include <algorithm>
#include <array>

namespace planner::hf {
namespace {

constexpr std::array kTypes{"dense", "sparse"};

}  // namespace

bool has_experts(ConfigReader& reader) {
  const dsl::Node* experts = reader.model.find("experts");
  const dsl::Node* count = experts ? experts->find("count") : nullptr;
  const bool off = reader.is_false("enable_moe_block");
  return count && reader.whole(*count) > 1 && !off;
}

ExpertLayers::ExpertLayers(ConfigReader& reader)
    : mixes_(has_experts(reader)),
      types_(reader, reader.find("mlp_layer_types"), "mlp_layer_types", kTypes),
      dense_(reader, reader.find("mlp_only_layers"), "mlp_only_layers", 0),
      mixed_(reader, reader.find("moe_layers"), "moe_layers", 0) {
  first_ = reader.whole_at("first_k_dense_replace", 0);
  for (const char* key : {"interleave_moe_layer_step", "decoder_sparse_step"}) every_ = reader.positive_at(key, every_);
  read_frequency(reader);
  reader.drop("experts.first_dense");
  reader.drop("experts.every");
  if (!mixes_) reader.drop("experts");
}

// DeepSeek counts layers from 0: layer 0 is a multiple of any number.
void ExpertLayers::read_frequency(ConfigReader& reader) {
  const dsl::Node* frequency = reader.find("moe_layer_freq");
  if (!frequency) return;
  if (frequency->kind != dsl::Node::Kind::scalar) {
    frequency_ = LayerList(reader, frequency, "moe_layer_freq");
    return;
  }
  every_ = reader.positive(*frequency);
  offset_ = 0;
}

bool ExpertLayers::at(int64_t layer) const {
  if (!mixes_) return false;
  if (types_) return types_.at(layer) == "sparse";
  if (mixed_) return mixed_.contains(layer);
  if (layer < first_ || dense_.contains(layer)) return false;
  if (frequency_) return frequency_.is_set(layer);
  return (layer + offset_) % every_ == 0;
}

}  // namespace planner::hf
