// Texts and numbers of JSON: numbers as nlohmann::json prints them.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/// Appends a text in quotes. Bytes that are not UTF-8 (a file name, a comment) become U+FFFD; invisible characters are
/// escaped.
void write_text(std::string_view text, std::string& out);
/// Whether a text needs no escapes between quotes.
bool is_plain(std::string_view text);

/// Each writes at most kMostLetters letters, and returns their end. A figure that is NaN or infinite is null.
inline constexpr size_t kMostLetters = 32;
inline char* write_count(int64_t count, char* at) {
  if (count < 0 || count > 9) return std::to_chars(at, at + kMostLetters, count).ptr;
  *at = static_cast<char>('0' + count);  // most are
  return at + 1;
}
char* write_figure(double x, char* at);

}  // namespace cli
