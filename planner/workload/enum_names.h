// Names of the values of an enum, from the enum itself: `attention_norm` is "attention-norm".
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace planner {

/// The identifier of a value, out of how compilers print this function: "... [value = planner::Role::none]".
template <auto value> constexpr std::string_view identifier_of() {
  const std::string_view printed = __PRETTY_FUNCTION__;
  const size_t from = printed.find("value = "), end = printed.find_first_of(";]", from);
  const size_t begin = printed.rfind("::", end) + 2;
  return printed.substr(begin, end - begin);
}

template <auto value> inline constexpr auto kValueName = [] {
  std::array<char, identifier_of<value>().size() + 1> name{};
  std::ranges::replace_copy(identifier_of<value>(), name.begin(), '_', '-');
  return name;
}();

template <class Enum, size_t... i>
constexpr std::array<const char*, sizeof...(i)> enum_names(std::index_sequence<i...>) {
  return {kValueName<static_cast<Enum>(i)>.data()...};
}

/// The names of all values up to the last one. REQUIRES: they count from 0.
template <auto last> inline constexpr auto kEnumNames =
    enum_names<decltype(last)>(std::make_index_sequence<static_cast<size_t>(last) + 1>());

}  // namespace planner
