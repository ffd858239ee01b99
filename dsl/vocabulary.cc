#include "dsl/vocabulary.h"

#include <algorithm>
#include <array>

namespace dsl {
namespace {

constexpr std::array kLanguageKeys{"let", "extends"};

}  // namespace

std::span<const char* const> language_keys() { return kLanguageKeys; }

std::string Vocabulary::folder_of(std::string_view kind) const {
  const auto row = std::ranges::find(kinds, kind, &FileKind::kind);
  return std::string(row == kinds.end() ? kind : row->folder);
}

bool Vocabulary::is_special(std::string_view key) const {
  const auto among = [&](std::span<const char* const> keys) { return std::ranges::find(keys, key) != keys.end(); };
  return among(kLanguageKeys) || among(other_keys);
}

}  // namespace dsl
