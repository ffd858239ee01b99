// The one table of letters of layers: as the catalogue has them, and as Megatron-LM and Nemotron-H call them.
#include "planner/import/layer_letters.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "planner/scenario/scenario.h"

namespace {

/// The letter in the text of a kind of the catalogue; "" if there is no such kind.
std::string letter_in_catalogue(const std::string& use) {
  for (const dsl::BuiltinFile& file : planner::builtin_catalog()) {
    if (std::string(file.kind) != "layer" || std::string(file.name) != use) continue;
    const std::string text(file.text);
    const size_t at = text.find("\nletter: ");
    if (at == std::string::npos) return "K";  // kda-full-gate has that of what it extends
    const std::string said = text.substr(at + 9, text.find('\n', at + 1) - at - 9);
    return said.starts_with('"') ? said.substr(1, 1) : said.substr(0, 1);
  }
  return "";
}

}  // namespace

TEST_CASE("letters of kinds are those of the catalogue") {
  std::set<std::string> uses;
  for (const planner::LayerLetter& row : planner::layer_letters()) {
    CAPTURE(std::string(row.use));
    if (!uses.insert(row.use).second) continue;  // another letter of Megatron-LM
    CHECK(std::string(1, row.letter) == letter_in_catalogue(row.use));
    CHECK(planner::letter_of_kind(row.use) == row.letter);
  }
  CHECK(uses.size() >= 13);
  CHECK(planner::letter_of_kind("no-such-kind") == '\0');
}

TEST_CASE("letters of Megatron-LM") {
  CHECK(planner::megatron_letters() ==
        "M (Mamba-2), G (gated delta net), * (attention), D (sparse attention), + (latent attention), - (MLP), E "
        "(experts)");
  struct Row {
    char letter;
    const char* use;
  };
  for (const Row& row : {Row{'M', "mamba2"}, Row{'D', "sparse-attention"}, Row{'+', "attention"}, Row{'-', "mlp"}}) {
    REQUIRE(planner::megatron_letter(row.letter) != nullptr);
    CHECK(std::string(planner::megatron_letter(row.letter)->use) == row.use);
  }
  for (const char none : {'S', 'A', 'm', 'K', '|'}) CHECK(planner::megatron_letter(none) == nullptr);
}

TEST_CASE("letters and words of Nemotron-H") {
  CHECK(planner::hf_letters() == "M (mamba), * (attention), - (mlp), E (moe)");
  for (const char* said : {"M", "mamba"}) CHECK(std::string(planner::hf_letter(said)->use) == "mamba2");
  for (const char* said : {"E", "moe"}) CHECK(std::string(planner::hf_letter(said)->use) == "experts");
  for (const char* none : {"G", "D", "mamba2", ""}) CHECK(planner::hf_letter(none) == nullptr);
}
