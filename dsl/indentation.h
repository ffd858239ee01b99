// Mistakes in the lines of a file that a YAML parser reports unclearly, and often one line too late.
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

/// Finds a mistake in the line of `at` or in the line before it: a tab in its indentation, '=' for ':', or a key that
/// is indented less than the key before it. Returns nullopt if there is none of these.
std::optional<LineMistake> find_line_mistake(std::string_view text, size_t at);

}  // namespace dsl
