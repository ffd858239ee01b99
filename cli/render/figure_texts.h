// Texts of figures. Neighbouring rows have many of them in common.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cli/render/json_text.h"

namespace cli {

/// Holds the texts that were made last. Which they are changes no text.
class FigureTexts {
 public:
  /// Writes what `write_figure` does; letters behind its end are written over.
  char* write(double x, char* at) {
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    FigureText& text = texts_[bits * kGolden >> (64 - kBits)];
    if (text.bits != bits || text.size == 0) make(x, text);
    std::memcpy(at, text.letters.data(), kMostLetters);
    return at + text.size;
  }

 private:
  static constexpr uint64_t kGolden =
      0x9e3779b97f4a7c15;  // 2^64 over the golden ratio: spreads bits over the upper ones
  static constexpr int kBits = 12;
  struct FigureText {
    uint64_t bits = 0, size = 0;  // 0: none
    std::array<char, kMostLetters> letters{};
  };
  static void make(double x, FigureText& text);

  std::vector<FigureText> texts_{1 << kBits};
};

}  // namespace cli
