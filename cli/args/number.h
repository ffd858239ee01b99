// Numbers in texts of the command line and of files.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace cli {

/// The number that a whole text is; nullopt: it is none, or beyond the type.
template <class T> std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace cli
