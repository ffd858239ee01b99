// Which layers have experts.
#pragma once

#include "planner/import/hf_lists.h"

namespace planner::hf {

/// Whether the model has experts: several (a single one is an MLP), unless `enable_moe_block` is off.
bool has_experts(ConfigReader& reader);

/// Determines for each layer whether it has experts.
class ExpertLayers {
 public:
  explicit ExpertLayers(ConfigReader& reader);
  bool at(int64_t layer) const;

 private:
  void read_frequency(ConfigReader& reader);

  bool mixes_;
  LayerList types_, frequency_;
  LayerSet dense_, mixed_;
  int64_t first_ = 0;               // with experts
  int64_t every_ = 1, offset_ = 1;  // where the number of the layer plus `offset_` is a multiple of `every_`
};

}  // namespace planner::hf
