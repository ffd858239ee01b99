#include "planner/import/layer_letters.h"

#include <algorithm>
#include <array>

namespace planner {
namespace {

// Megatron-LM: megatron/core/models/hybrid/hybrid_layer_allocation.py. Nemotron-H: transformers, NemotronHConfig,
// `hybrid_override_pattern` and `layers_block_type`. Others: the letters of scenarios/layers/.
constexpr std::array kLetters{
    LayerLetter{'M', "mamba2", "Mamba-2", "mamba"},
    LayerLetter{'G', "gated-delta", "gated delta net"},
    LayerLetter{'g', "gated-delta-2"},
    LayerLetter{'K', "kda"},
    LayerLetter{'K', "kda-full-gate"},
    LayerLetter{'*', "attention", "attention", "attention"},
    LayerLetter{'S', "sparse-attention"},
    LayerLetter{'D', "sparse-attention", "sparse attention"},
    LayerLetter{'+', "attention", "latent attention"},
    LayerLetter{'B', "block-sparse-attention"},
    LayerLetter{'C', "compressed-attention"},
    LayerLetter{'-', "mlp", "MLP", "mlp"},
    LayerLetter{'E', "experts", "experts", "moe"},
    LayerLetter{'A', "block"},
    LayerLetter{'X', "experts-block"},
};

const LayerLetter* found(auto is_meant) {
  const auto* row = std::ranges::find_if(kLetters, is_meant);
  return row == kLetters.end() ? nullptr : row;
}

std::string listed(const char* LayerLetter::*word) {
  std::string out;
  for (const LayerLetter& row : kLetters)
    if (row.*word) out += (out.empty() ? "" : ", ") + std::string(1, row.letter) + " (" + row.*word + ")";
  return out;
}

}  // namespace

std::span<const LayerLetter> layer_letters() { return kLetters; }

const LayerLetter* megatron_letter(char letter) {
  return found([&](const LayerLetter& row) { return row.megatron && row.letter == letter; });
}

const LayerLetter* hf_letter(std::string_view said) {
  return found(
      [&](const LayerLetter& row) { return row.hf && (said == row.hf || said == std::string(1, row.letter)); });
}

char letter_of_kind(std::string_view use) {
  const LayerLetter* row = found([&](const LayerLetter& r) { return use == r.use; });
  return row ? row->letter : '\0';
}

std::string megatron_letters() { return listed(&LayerLetter::megatron); }
std::string hf_letters() { return listed(&LayerLetter::hf); }

}  // namespace planner
