#include "cli/args/wrapped.h"

#include <algorithm>
#include <cctype>

namespace cli {
namespace {

/// The end of the first word with the blanks before it and, behind a number, its unit.
size_t word_end(std::string_view text) {
  size_t end = std::min(text.find(' ', text.find_first_not_of(' ')), text.size());
  bool number = end > 0 && std::isdigit(static_cast<unsigned char>(text[end - 1]));
  bool unit = number && end + 1 < text.size() &&
              (std::isalpha(static_cast<unsigned char>(text[end + 1])) || text[end + 1] == '%');
  return unit ? std::min(text.find(' ', end + 1), text.size()) : end;
}

/// Adds a text without line ends.
void wrap_line(std::string_view text, size_t limit, size_t indent, std::vector<std::string>& lines) {
  std::string line;
  while (!text.empty()) {
    std::string_view word = text.substr(0, word_end(text));
    text.remove_prefix(word.size());
    const bool fits = glyphs(line) + glyphs(word) <= limit;
    if (!fits && line.find_first_not_of(' ') != std::string::npos) {
      lines.push_back(std::move(line));
      line = std::string(indent, ' ');
      word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    }
    line += word;
  }
  lines.push_back(std::move(line));
}

}  // namespace

size_t glyphs(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

size_t bytes_of(std::string_view text, size_t count) {
  size_t at = 0;
  for (; at < text.size(); ++at)
    if ((text[at] & 0xC0) != 0x80 && count-- == 0) break;
  return at;
}

std::vector<std::string> wrapped(std::string_view text, size_t width, size_t indent) {
  std::vector<std::string> lines;
  const size_t limit = std::max<size_t>(width, indent + 8);
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    wrap_line(text.substr(0, end), limit, indent, lines);
    text.remove_prefix(end + 1);
  }
  wrap_line(text, limit, indent, lines);
  return lines;
}

}  // namespace cli
