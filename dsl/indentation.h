// Mistakes in the lines of a file that a YAML parser tells in its own words, and often a line too late.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dsl {

/// The line that holds the byte `at`, without its end.
std::string_view line_of(std::string_view text, size_t at);

/// A mistake at bytes of the text.
struct LineMistake {
  size_t at, length;
  std::string message, hint;
};

/// What is wrong in the line of `at`, or in the one before it: a tab in its indentation, '=' for ':', or a key that is
/// not as far from the left as the one before. nullopt: nothing of these.
std::optional<LineMistake> find_line_mistake(std::string_view text, size_t at);

}  // namespace dsl
