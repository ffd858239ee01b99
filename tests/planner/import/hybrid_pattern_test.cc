// Patterns of Megatron-LM's hybrid models, letter by letter.
#include "planner/import/hybrid_pattern.h"

#include <doctest/doctest.h>

using planner::HybridPattern;
using planner::parted_pattern;
using planner::pattern_of_ratios;
using planner::read_hybrid_pattern;

namespace {

/// "LAYERS parts 2 3 predicted *- x2", or "WHERE+SIZE: why; hint".
std::string read(const std::string& text) {
  const HybridPattern p = read_hybrid_pattern(text);
  if (!p.why.empty())
    return std::to_string(p.wrong) + "+" + std::to_string(p.wrong_size) + ": " + p.why +
           (p.hint.empty() ? "" : "; " + p.hint.substr(0, 20));
  std::string out = p.layers + " parts";
  for (const int64_t n : p.parts) out += " " + std::to_string(n);
  return out + (p.depths == 0 ? "" : " predicted " + p.predicted + " x" + std::to_string(p.depths));
}

}  // namespace

TEST_CASE("letters, parts of the pipeline and prediction layers are told apart") {
  constexpr struct {
    const char *text, *want;
  } kCases[] = {
      {"M-M*-", "M-M*- parts 5"},
      {"MGDE+-", "MGDE+- parts 6"},
      {"M-|M*-|M", "M-M*-M parts 2 3 1"},
      {"M-||", "M- parts 2 0 0"},
      {"M-|M*/*-/*-", "M-M* parts 2 2 predicted *- x2"},
      {"MEM*E/E", "MEM*E parts 5 predicted E x1"},
      {"", "0+0: no layers"},
      {"|", "0+1: no layers"},
      {"/*", "0+2: no layers"},
      {"MxM", "1+1: unknown kind of layer 'x'; known: M (Mamba-2), "},
      {"M*m", "2+1: unknown kind of layer 'm'; did you mean 'M'?"},
      {"M*/M|M", "4+1: unknown kind of layer '|'; known: M (Mamba-2), "},
      {"M*/M/*", "5+1: prediction layers are alike: expected 'M', got '*'; write 'M'"},
      {"M*/", "2+1: no prediction layer behind '/'; take the '/' out"},
      {"M*-D", "3+1: whole and latent attention ('*' beside 'D' or '+') in one model; '+' in place of '*' "},
      {"M+-*", "3+1: whole and latent attention ('*' beside 'D' or '+') in one model; '+' in place of '*' "},
  };
  for (const auto& [text, want] : kCases) {
    const auto& said = text;
    CHECK_MESSAGE(read(text) == want, std::string(said), ": ", read(said));
  }
}

TEST_CASE("ratios give Megatron-LM's patterns") {
  // The first two are those of its examples/mamba/train.sh, which lists the letters.
  constexpr struct {
    int64_t layers;
    double attention, mlp;
    const char* want;
  } kCases[] = {
      {48, 0.08, 0.5, "M-M-M--M-*M-M-M-M--*M-M-M-M-*M--M-M-M-*M-M--M-M-"},
      {56, 0.08, 0.5, "M-M-M--M-M*-M-M-M-M--M*-M-M-M-M-M*--M-M-M-M-M*-M--M-M-M-"},
      {12, 0.25, 0.25, "MM*-MM*-M*M-"},
      {6, 0, 0, "MMMMMM"},
      {10, 0, 0.5, "M-M-M-M-M-"},
      {10, 0.3, 0, "MM*MM*M*MM"},
      {5, 0.5, 0, "M*M*M"},  // 2.5 rounds to even
      {4, 1, 0, "****"},
      {4, 0, 1, "----"},
      {4, 0.5, 0.5, "-**-"},
  };
  for (const auto& [layers, attention, mlp, want] : kCases) CHECK(pattern_of_ratios(layers, attention, mlp) == want);
}

TEST_CASE("a pattern is parted as evenly as can be") {
  CHECK(parted_pattern("M-M*-", 2) == "M-|M*-");
  CHECK(parted_pattern("M-M*-M", 3) == "M-|M*|-M");
  CHECK(parted_pattern("M-", 1) == "M-");
  CHECK(parted_pattern("M-", 4) == "|M||-");
}
