#include "cli/render/json_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "dsl/quoting.h"

namespace cli {
namespace {

/// Letters that are printed as they are.
constexpr std::array kPlain = [] {
  std::array<bool, 256> plain{};
  for (size_t c = ' '; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

/// Eight letters at once: the highest bit of a byte is set where a letter below ' ', from 0x7f on, '"' or '\\' stands.
bool are_plain(uint64_t letters) {
  constexpr uint64_t kEach = 0x0101010101010101;
  const auto among = [letters](uint64_t letter) {
    const uint64_t differs = letters ^ (kEach * letter);
    return (differs - kEach) & ~differs;
  };
  return (((letters - kEach * ' ') | letters | among(0x7f) | among('"') | among('\\')) & (kEach * 0x80)) == 0;
}

}  // namespace

bool is_plain(std::string_view text) {
  constexpr size_t kWord = sizeof(uint64_t);
  if (text.size() < kWord)
    return std::ranges::all_of(text, [](char c) { return kPlain[static_cast<unsigned char>(c)]; });
  const auto word_is_plain = [&](size_t at) {
    uint64_t letters = 0;
    std::memcpy(&letters, text.data() + at, kWord);
    return are_plain(letters);
  };
  for (size_t at = 0; at + kWord < text.size(); at += kWord)
    if (!word_is_plain(at)) return false;
  return word_is_plain(text.size() - kWord);  // some of them for the second time
}

void write_text(std::string_view text, std::string& out) {
  if (!is_plain(text)) {
    out += dsl::double_quoted(text);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

char* write_figure(double x, char* at) {
  if (std::isfinite(x)) return nlohmann::detail::to_chars(at, at + kMostLetters, x);
  constexpr std::string_view kNull = "null";
  return std::ranges::copy(kNull, at).out;
}

}  // namespace cli
