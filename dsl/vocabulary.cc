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

template <class Same> bool is_among(std::string_view list, Same same) {
  return std::ranges::any_of(names_in(list), same);
}

}  // namespace

std::vector<std::string_view> names_in(std::string_view list) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string_view> names;
  for (size_t end = list.find(kBetween); end != std::string_view::npos; end = list.find(kBetween)) {
    names.push_back(list.substr(0, end));
    list.remove_prefix(end + kBetween.size());
  }
  names.push_back(list);
  return names;
}

std::span<const char* const> language_keys() { return kLanguageKeys; }

std::string Vocabulary::folder_of(std::string_view kind) const {
  const auto row = std::ranges::find(kinds, kind, &FileKind::kind);
  return std::string(row == kinds.end() ? kind : row->folder);
}

std::string_view Vocabulary::entry_of(std::string_view kind, std::string_view name) const {
  const auto row = std::ranges::find_if(aliases, [&](const EntryAlias& a) {
    return a.kind == kind && is_among(a.said, [&](std::string_view said) { return said == name; });
  });
  return row == aliases.end() ? name : row->name;
}

bool Vocabulary::is_special(std::string_view key) const {
  const auto among = [&](std::span<const char* const> keys) { return std::ranges::find(keys, key) != keys.end(); };
  return among(kLanguageKeys) || among(other_keys);
}

const OtherName* Vocabulary::other_name(std::string_view said) const { return other_word(said, ""); }

const OtherName* Vocabulary::other_word(std::string_view said, std::string_view of) const {
  const auto row = std::ranges::find_if(other_names, [&](const OtherName& o) {
    return o.of == of && is_among(o.said, [&](std::string_view name) { return is_said(said, name); });
  });
  return row == other_names.end() ? nullptr : &*row;
}

}  // namespace dsl
