// Letters of layers: names in patterns for the catalogue's kinds.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace planner {

/// A kind of the catalogue and its letter in patterns that imports write. `megatron`: the name of this layer in
/// messages, for Megatron-LM's hybrid models. `hf`: the other word for it in Nemotron-H's configurations.
struct LayerLetter {
  char letter;
  const char* use;
  const char* megatron = nullptr;  // null: it has no such layer
  const char* hf = nullptr;        // likewise
};

/// One kind may have several letters: the first is that of patterns.
std::span<const LayerLetter> layer_letters();
/// Returns the row of a letter of Megatron-LM; null: it has none.
const LayerLetter* megatron_letter(char letter);
/// Returns the row that a configuration names by letter or word; null: none.
const LayerLetter* hf_letter(std::string_view said);
/// Returns the letter of a kind; 0: none.
char letter_of_kind(std::string_view use);
/// "M (Mamba-2), ..."; "M (mamba), ...".
std::string megatron_letters();
std::string hf_letters();

}  // namespace planner
