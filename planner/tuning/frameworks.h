// How frameworks fuse and partition gradients: a rule and a size each, which can be set.
#pragma once

#include <span>
#include <string_view>

#include "planner/tuning/strategy.h"

namespace planner::tuning {

struct Framework {
  std::string_view name, summary;
  std::string_view setting;  // that takes the size; "": there is none
  double bytes_per_unit;     // of the setting
  double default_bytes;
  bool fuses_operators;
  const char* source;
  FusionStrategy (*strategy)(const Backward& pass, double size_bytes);
};
std::span<const Framework> frameworks();

}  // namespace planner::tuning
