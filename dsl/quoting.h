// A text as another language reads it back - a function for each - and as a screen may show it.
#pragma once

#include <string>
#include <string_view>

namespace dsl {

/// Finds a character that is invisible or changes how its neighbours are shown: control characters of ASCII and of
/// Unicode (U+0080 to U+009F), ends of lines and paragraphs, marks that turn the direction of writing, byte order
/// marks, bytes that are not UTF-8. Returns the offset of the first, or npos.
size_t find_hidden(std::string_view text);

/// Without any of it: a blank for a tab or the end of a line, '?' for the others. `keep` is kept.
std::string printable(std::string_view text, std::string_view keep = "");

/// Puts the text between double quotes, as JSON, YAML, TOML and Python read it. Hidden characters are escaped. Bytes
/// that are not UTF-8 become U+FFFD, since these languages cannot express them.
std::string double_quoted(std::string_view text);

/// Between double quotes, as Graphviz reads it.
std::string dot_text(std::string_view text);

/// Between single quotes of a shell (sh, zsh, fish), bytes as they are.
std::string single_quoted(std::string_view text);

/// Returns a word as a shell reads it: unchanged, or between single quotes. Hidden characters are written as $'...'
/// (bash, zsh, ksh, POSIX of 2024). REQUIRES: no NUL.
std::string shell_word(std::string_view word);

/// The same for a command that GNU parallel fills in: "{}", "{.}" and "{= =}" in the word are kept literally.
std::string parallel_word(std::string_view word);

/// Between single quotes, as Groovy reads it.
std::string groovy_text(std::string_view text);

}  // namespace dsl
