// JSON with the place of every value, strictly: a whole text, or one value among others (JSON Lines).
//
// In the tree a number, `true` and `false` are bare scalars, and a string is a quoted one. `NaN`, `Infinity` and
// `-Infinity`, which Python writes, are bare scalars too. The place of a map or a list is its opening bracket. An
// escape of a control byte ("\n", "\u0000") is read as a blank and half a surrogate pair as '?': no name needs them,
// and messages that repeat a name stay on one line. `parse_json` (node.h) reads a text of one value; it refuses
// duplicate keys, bytes that are not text, and more text after the value.
#pragma once

#include "dsl/node.h"

namespace dsl {

/// Reads values one after the other.
class JsonText {
 public:
  /// Where a value may end: anywhere, or in the line where it begins.
  enum class Ends { anywhere, in_line };
  /// `semicolons`: ';' separates as ',' does (TaLPas). Of `limits` the depth and the number of values hold, for each of
  /// them.
  JsonText(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits, bool semicolons = false,
           Ends ends = Ends::anywhere)
      : source_(source),
        text_(source.text),
        diagnostics_(diagnostics),
        limits_(limits),
        semicolons_(semicolons),
        ends_(ends) {}

  /// Returns true behind the last value. Skips the bytes before the next value.
  bool at_end();
  /// Returns the next value. If there is none, the node is `broken` (diagnosed), and reading stops.
  Node next();
  /// Returns the place of the next byte.
  Span place() const { return here(1); }

 private:
  void skip_blanks(Ends ends);
  void skip_blanks() { skip_blanks(ends_); }
  bool take(char c);
  bool take_comma() { return take(',') || (semicolons_ && take(';')); }
  Span here(size_t length) const;
  bool fail(const std::string& message, const char* hint = "");
  bool value(Node& node, int depth);
  bool map_or_list(Node& node, int depth);
  bool map(Node& node, int depth);
  bool list(Node& node, int depth);
  bool string(Node& node);
  bool escape(std::string& out);
  bool word(Node& node);
  bool has_twins(const Node& map);

  const Source& source_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  ParseLimits limits_;
  bool semicolons_;
  Ends ends_;
  size_t at_ = 0, start_ = 0;  // this byte; the first of its line
  size_t nodes_ = 0;           // values of this one that were begun
  int line_ = 1;
};

/// The limits of a text that a program wrote: measurements, and results of a search. A value takes up to 400 bytes
/// while its list grows.
inline constexpr ParseLimits kWrittenLimits{.bytes = 512 << 20, .depth = 64, .nodes = 4'000'000};

}  // namespace dsl
