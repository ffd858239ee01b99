// The words of an enum, from the enum itself: `attention_norm` is "attention-norm".
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace dsl {

/// The identifier of a value, out of how compilers print this function: "... [value = planner::Role::none]". A value
/// without one prints as a number, or "(planner::Role)99", and gives "".
template <auto value> constexpr std::string_view identifier_of() {
  const std::string_view printed = __PRETTY_FUNCTION__;
  const size_t from = printed.find("value = ") + std::string_view("value = ").size();
  const std::string_view shown = printed.substr(from, printed.find_first_of(";]", from) - from);
  const size_t scope = shown.rfind("::");
  const bool is_number = scope == std::string_view::npos || shown.find(')', scope) != std::string_view::npos;
  return is_number ? "" : shown.substr(scope + 2);
}

template <auto value> inline constexpr auto kEnumWord = [] {
  std::array<char, identifier_of<value>().size() + 1> word{};
  std::ranges::replace_copy(identifier_of<value>(), word.begin(), '_', '-');
  return word;
}();

template <class Enum, size_t count = 0> constexpr size_t count_values() {
  if constexpr (identifier_of<static_cast<Enum>(count)>().empty()) return count;
  else return count_values<Enum, count + 1>();
}

template <class Enum, size_t... i>
constexpr std::array<const char*, sizeof...(i)> enum_words(std::index_sequence<i...>) {
  return {kEnumWord<static_cast<Enum>(i)>.data()...};
}

/// The words of all values. REQUIRES: they count from 0.
template <class Enum>
inline constexpr auto kEnumWords = enum_words<Enum>(std::make_index_sequence<count_values<Enum>()>());

/// The words that a field of an enum may hold: those of a function `words(Enum)` if there is one, else `kEnumWords`.
template <class Enum> constexpr std::span<const char* const> words_of() {
  if constexpr (requires { words(Enum{}); }) return words(Enum{});
  else return kEnumWords<Enum>;
}
template <class Enum> const char* word_of(Enum value) { return words_of<Enum>()[static_cast<size_t>(value)]; }

}  // namespace dsl
