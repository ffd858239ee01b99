// Layers of Megatron-LM's hybrid models, a letter each: "M-M*-|M-M*-/*-/*-".
//
// Letters and the rule of ratios: github.com/NVIDIA/Megatron-LM,
// megatron/core/models/hybrid/hybrid_layer_allocation.py; until 0.16
// megatron/core/ssm/mamba_hybrid_layer_allocation.py.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planner {

struct HybridPattern {
  std::string layers;          // one letter each
  std::vector<int64_t> parts;  // layers between '|': parts of the pipeline
  std::string predicted;       // letters of a prediction layer; "": no such layers
  int64_t depths = 0;          // prediction layers

  std::string why, hint;             // why it cannot be read; "": it can
  size_t wrong = 0, wrong_size = 0;  // the position of the mistake
};

/// Reads letters of layers, '|' between parts of the pipeline, and behind each '/' the letters of a prediction layer,
/// which are the same for all.
HybridPattern read_hybrid_pattern(std::string_view text);

/// Returns `layers` layers with these shares of attention and MLPs, both spread evenly; the rest is Mamba.
std::string pattern_of_ratios(int64_t layers, double attention, double mlp);

/// Writes '|' between `parts` runs of the letters, as even as can be.
std::string parted_pattern(const std::string& layers, int64_t parts);

}  // namespace planner
