// Models of the catalogue by their names in torchtitan: a model and one of its flavors, whose shape is in its code
// (torchtitan/models/llama3, deepseek_v3, qwen3: __init__.py).
#pragma once

#include <span>
#include <string_view>

namespace planner {

struct TorchtitanFlavor {
  const char *ours, *name, *flavor;
};

/// Of several models of the same shape the first is the one that a flavor is read as.
std::span<const TorchtitanFlavor> torchtitan_flavors();

}  // namespace planner
