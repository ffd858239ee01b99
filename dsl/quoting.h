// A text as another language reads it back - a function for each - and as a screen may show it.
#pragma once

#include <string>
#include <string_view>

namespace dsl {

/// What shows as no letter, or changes how the letters beside it show: control characters of ASCII and of Unicode
/// (U+0080 to U+009F), ends of lines and paragraphs, marks that turn the direction of writing, byte order marks, bytes
/// that are no UTF-8. Returns the offset of the first, or npos.
size_t find_hidden(std::string_view text);

/// Without any of it: a blank for a tab or the end of a line, '?' for the others. `keep` is kept.
std::string printable(std::string_view text, std::string_view keep = "");

/// Between double quotes, as JSON, YAML, TOML and Python read it. What is hidden is escaped; bytes that are no UTF-8,
/// which these languages have no text for, become U+FFFD.
std::string double_quoted(std::string_view text);

/// Between double quotes, as Graphviz reads it.
std::string dot_text(std::string_view text);

/// Between single quotes of a shell (sh, zsh, fish), bytes as they are.
std::string single_quoted(std::string_view text);

/// A word as a shell reads it: as it is, or between single quotes. What is hidden stands between $'...' (bash, zsh,
/// ksh, POSIX of 2024). REQUIRES: no NUL.
std::string shell_word(std::string_view word);

/// The same in a command that GNU parallel fills in: "{}", "{.}" and "{= =}" of the word stay what they are.
std::string parallel_word(std::string_view word);

/// Between single quotes, as Groovy reads it.
std::string groovy_text(std::string_view text);

}  // namespace dsl
