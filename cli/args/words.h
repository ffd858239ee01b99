// Words of the command line: names that one may have been meant for, and numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "dsl/similar.h"

namespace cli {

/// The names of the rows of a table, in order.
template <class Rows> std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

/// ", did you mean 'X'?", or "" where no name is like the word.
inline std::string or_meant(std::string_view word, const std::vector<std::string>& names) {
  const std::string hint = dsl::did_you_mean(word, names);
  return hint.empty() ? "" : ", " + hint;
}

/// Reads a whole text as a number; nullopt: it is not a number, or does not fit the type.
template <class T> std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace cli
