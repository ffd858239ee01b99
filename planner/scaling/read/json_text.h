// JSON with the place of every value, strictly: a whole text, or one value among others (JSON Lines).
#pragma once

#include "dsl/node.h"

namespace planner::scaling {

/// Reads values one after the other. Of dsl::Node a number, true and false are bare scalars, a string is a quoted one.
class JsonText {
 public:
  /// Where a value may end: anywhere, or in the line where it begins.
  enum class Ends { anywhere, in_line };
  /// `semicolons`: ';' separates as ',' does (TaLPas).
  JsonText(const dsl::Source& source, dsl::Diagnostics& diagnostics, bool semicolons = false,
           Ends ends = Ends::anywhere)
      : source_(source), text_(source.text), diagnostics_(diagnostics), semicolons_(semicolons), ends_(ends) {}

  /// True behind the last value; what stands before the next is passed over.
  bool at_end();
  /// The next value; `broken` (diagnosed) where there is none, after which reading stops.
  dsl::Node next();
  /// Of the next byte.
  dsl::Span place() const { return here(1); }

 private:
  void skip_blanks(Ends ends);
  void skip_blanks() { skip_blanks(ends_); }
  bool take(char c);
  bool take_comma() { return take(',') || (semicolons_ && take(';')); }
  dsl::Span here(size_t length) const;
  bool fail(const char* message, const char* hint = "");
  bool value(dsl::Node& node, int depth);
  bool map(dsl::Node& node, int depth);
  bool list(dsl::Node& node, int depth);
  bool string(dsl::Node& node);
  bool escape(std::string& out);
  bool word(dsl::Node& node);
  bool has_twins(const dsl::Node& map);

  const dsl::Source& source_;
  std::string_view text_;
  dsl::Diagnostics& diagnostics_;
  bool semicolons_;
  Ends ends_;
  size_t at_ = 0, start_ = 0;  // this byte; the first of its line
  int line_ = 1;
};

/// The one value of a text.
dsl::Node read_json_text(const dsl::Source& source, dsl::Diagnostics& diagnostics);

}  // namespace planner::scaling
