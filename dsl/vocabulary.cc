#include "dsl/vocabulary.h"

#include <algorithm>
#include <array>

#include "dsl/raw_text.h"

namespace dsl {
namespace {

constexpr std::array kLanguageKeys{"let", "extends"};

bool is_said(std::string_view text, std::string_view row) {
  return std::ranges::equal(text, row, [](char a, char b) { return (a == '-' ? '_' : small(a)) == b; });
}

}  // namespace

std::span<const char* const> language_keys() { return kLanguageKeys; }

std::string Vocabulary::folder_of(std::string_view kind) const {
  const auto row = std::ranges::find(kinds, kind, &FileKind::kind);
  return std::string(row == kinds.end() ? kind : row->folder);
}

std::string_view Vocabulary::entry_of(std::string_view kind, std::string_view name) const {
  const auto row = std::ranges::find_if(aliases, [&](const Alias& a) { return a.kind == kind && a.said == name; });
  return row == aliases.end() ? name : row->name;
}

bool Vocabulary::is_special(std::string_view key) const {
  const auto among = [&](std::span<const char* const> keys) { return std::ranges::find(keys, key) != keys.end(); };
  return among(kLanguageKeys) || among(other_keys);
}

const OtherName* Vocabulary::other_name(std::string_view said) const { return other_word(said, ""); }

const OtherName* Vocabulary::other_word(std::string_view said, std::string_view of) const {
  const auto row =
      std::ranges::find_if(other_names, [&](const OtherName& o) { return o.of == of && is_said(said, o.said); });
  return row == other_names.end() ? nullptr : &*row;
}

}  // namespace dsl
