// JSON that is longer than memory: values are taken one after the other from a window of the text that moves on.
//
// A value is read by a function that stops where the window ends; it is called again, from the value's first byte, when
// more of the text is there. What is wrong stands with the offset of its byte (RFC 8259). Strings keep whatever bytes
// they have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/unpack/byte_reader.h"

namespace planner::trace {

class JsonStream {
 public:
  static constexpr size_t kMostValueBytes = size_t{64} << 20;  // of one value that is read as one

  explicit JsonStream(unpack::ByteReader& bytes);

  /// Reads one value: `read` returns whether it could; it writes nothing that is not written over when it is called
  /// again. False: something is wrong.
  template <class Read> bool take(Read read) {
    for (;;) {
      mark_ = at_;
      if (read()) return true;
      if (!starved_ || !more()) return false;
    }
  }

  // Each takes what comes next, behind blanks. False: it is not there, or the window ends (`take`).
  char peek() { return blanks() ? *at_ : '\0'; }  // looks only; 0: the window ends
  bool is(char c) { return *at_ == c || peek() == c; }
  bool expect(char c) {  // diagnoses
    if (*at_ == c) return ++at_, true;
    return blanks() && (*at_ == c ? (++at_, true) : fail_to_find(c));
  }
  /// Returns whether there is another element of a map or a list that ends with `close`, which is taken; `first`: no
  /// comma stands before it.
  bool another(char close, bool& first);
  /// The text between the quotes as it stands; it lives until the window moves.
  bool string(std::string_view& raw);
  /// A number times `scale`, rounded to a whole one; exact where it has at most 19 digits and no exponent.
  bool scaled(int64_t& number, int decimals);
  bool whole(int64_t& number) { return scaled(number, 0); }
  /// Any value; `raw`: as it stands.
  bool skip();
  bool skip(std::string_view& raw);
  /// Any value, however long: the window moves over it. Not within `take`.
  bool pass();
  /// Whether nothing but blanks is left.
  bool ends();

  /// Diagnoses what stands here; the first thing that is wrong stays.
  bool fail(std::string message) { return fail_at(at_, std::move(message)); }
  /// Diagnoses what stood at an offset of the window.
  bool fail_from(int64_t offset, std::string message) {
    return fail_at(window_.data() + (offset - passed_), std::move(message));
  }
  const std::string& wrong() const { return wrong_; }
  int64_t wrong_at() const { return wrong_at_; }
  bool starves() const { return starved_; }
  /// Returns the offset of the next byte.
  int64_t offset() const { return passed_ + (at_ - window_.data()); }

 private:
  bool starve() { return starved_ = true, false; }
  bool blanks() {
    while (is_blank(*at_)) ++at_;
    return at_ < end_ || starve();
  }
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  bool fail_to_find(char c);
  bool skip_brackets();
  bool scalar();
  bool more();
  bool fail_at(const char* at, std::string message);

  unpack::ByteReader& bytes_;
  std::vector<char> window_;  // a 0 stands behind its text
  const char *at_, *mark_, *end_;
  int64_t passed_ = 0;  // bytes before the window
  bool starved_ = false;
  std::string wrong_;
  int64_t wrong_at_ = -1;
};

/// Returns what a string of JSON says, as UTF-8: bytes that are none become U+FFFD, control characters blanks.
std::string json_text(std::string_view raw);
/// The same of a text without escapes.
std::string plain_text(std::string_view raw);

}  // namespace planner::trace
