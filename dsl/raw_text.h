// Positions in a raw text: lines, columns, quoted scalars, comments, bytes.
// Columns of messages are computed here. They are never taken from a parser, which has already undone quoting and
// folding.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/source.h"

namespace dsl {

/// Line and column of every byte offset of one source. Lines end at '\n'.
class LineMap {
 public:
  explicit LineMap(const Source& source);
  Span at(size_t offset, size_t length) const;
  /// The offset of the first byte of a line, counted from 1.
  size_t start(int line) const { return starts_[static_cast<size_t>(line) - 1]; }

 private:
  const Source* source_;
  std::vector<size_t> starts_;
};

/// The byte offset of a span's first byte, or npos where it has no place.
size_t offset_of(const Span& span);

/// The bytes that one written scalar takes, from its first byte or opening quote.
struct Extent {
  size_t begin = 0, end = 0;
  bool quoted = false;
  bool closed = true;  // quoted: has its closing quote
  bool one_line = true;
};
/// The extent of the scalar at `begin` whose value (quoting undone) is `value`.
Extent scalar_extent(std::string_view text, size_t begin, std::string_view value);

/// First byte at or after `at` that is neither an anchor nor a tag nor blank nor comment.
size_t skip_properties(std::string_view text, size_t at);

/// The comments at the ends of a text's lines. Each line is scanned once, from its end, however often it is looked up:
/// a file may be one line of very many values.
class LineComments {
 public:
  explicit LineComments(std::string_view text) : text_(text) {}
  /// Returns the comment that ends the line of `at` (a place outside quotes), without '#' and blanks around.
  std::string_view at(size_t at);

 private:
  void look_through(size_t from);

  std::string_view text_;
  size_t begin_ = 0;           // of the part of a line that was looked through
  std::vector<size_t> signs_;  // by byte of it: where the comment's '#' is if this byte is outside quotes, or its end
};

/// Returns the raw offset of each byte of the value of the quoted scalar at `begin`, and that of its end.
std::vector<size_t> quoted_offsets(std::string_view text, size_t begin);

/// The first byte that no source may hold (control, lone '\r', broken UTF-8), with its message.
struct BadByte {
  size_t offset;
  const char* message;
  const char* hint;
};
std::optional<BadByte> find_bad_byte(std::string_view text);

/// The length of the UTF-8 sequence at `at`, or 0 where it is broken.
size_t utf8_length(std::string_view text, size_t at);

/// Shortens a text to about 60 bytes for a message; no glyph is cut in two.
std::string shortened(std::string_view text);

bool is_ascii(std::string_view text);
/// A letter of ASCII in its small form.
char small(char c);
bool is_blank(char c);
/// Without the blanks at both ends.
std::string_view trimmed(std::string_view text);
bool is_digit(char c);
bool is_name_start(char c);
bool is_name_char(char c);
/// Returns where `name` stands from `from` on as a whole name, no part of a longer one or of a path; npos: nowhere.
size_t find_name(std::string_view text, std::string_view name, size_t from = 0);

}  // namespace dsl
