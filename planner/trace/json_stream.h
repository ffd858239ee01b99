// JSON that is longer than memory: values are taken one after the other from a moving window of the text.
//
// A function that reads a value stops where the window ends. It is called again, from the value's first byte, when more
// of the text is available. Mistakes are reported with the offset of their byte (RFC 8259). Bytes of strings are not
// checked.
#pragma once

#include <cstdint>
#include <cstring>
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

  // Each takes the next token, skipping blanks. False: it is not there, or the window ends (`take`).
  char peek();  // looks only; 0: the window ends
  bool is(char c) { return peek() == c; }
  bool expect(char c);  // diagnoses
  /// Returns whether there is another element of a map or a list that ends with `close`, which is taken; `first`: no
  /// comma before it.
  bool another(char close, bool& first);
  /// The raw text between the quotes; valid until the window moves.
  bool string(std::string_view& raw);
  /// A number times `scale`, rounded to a whole one; exact where it has at most 19 digits and no exponent.
  bool scaled(int64_t& number, int decimals);
  bool whole(int64_t& number) { return scaled(number, 0); }
  /// Any value; `raw`: its unparsed text.
  bool skip();
  bool skip(std::string_view& raw);
  /// Any value, however long: the window moves over it. Not within `take`.
  bool pass();
  /// Whether nothing but blanks is left.
  bool ends();

  /// Diagnoses a mistake at this place; the first mistake stays.
  bool fail(std::string message) { return fail_at(at_, std::move(message)); }
  /// Diagnoses the text at an offset of the window.
  bool fail_from(int64_t offset, std::string message) {
    return fail_at(window_.data() + (offset - passed_), std::move(message));
  }
  const std::string& wrong() const { return wrong_; }
  int64_t wrong_at() const { return wrong_at_; }
  bool starves() const { return starved_; }
  /// Whether the only mistake is that the text ends too early.
  bool ends_early() const { return ends_early_; }
  /// Returns the offset of the next byte.
  int64_t offset() const { return passed_ + (at_ - window_.data()); }

 private:
  bool starve() { return starved_ = true, false; }
  bool blanks();
  bool fail_without(char c);  // which was expected
  bool skip_brackets();
  bool scalar();
  bool more();
  bool fail_at(const char* at, std::string message);

  unpack::ByteReader& bytes_;
  std::vector<char> window_;  // a 0 follows its text
  const char *at_, *mark_, *end_;
  int64_t passed_ = 0;  // bytes before the window
  bool starved_ = false, ends_early_ = false;
  std::string wrong_;
  int64_t wrong_at_ = -1;
};

// Functions used by every member of a map are inlined.

inline bool JsonStream::blanks() {
  while (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r') ++at_;
  return at_ < end_ || starve();
}

inline char JsonStream::peek() { return blanks() ? *at_ : '\0'; }

inline bool JsonStream::expect(char c) {
  if (!blanks()) return false;
  if (*at_ == c) return ++at_, true;
  return fail_without(c);
}

inline bool JsonStream::another(char close, bool& first) {
  if (is(close)) return ++at_, false;
  if (starved_ || (!first && !expect(','))) return false;
  first = false;
  return true;
}

inline bool JsonStream::string(std::string_view& raw) {
  if (!expect('"')) return false;
  const char* const from = at_;
  for (const char* to = from;; ++to) {
    to = static_cast<const char*>(std::memchr(to, '"', static_cast<size_t>(end_ - to)));
    if (!to) return starve();
    const char* slash = to;
    while (slash > from && slash[-1] == '\\') --slash;
    if ((to - slash) % 2 != 0) continue;  // an escaped quote
    raw = {from, static_cast<size_t>(to - from)};
    at_ = to + 1;
    return true;
  }
}

/// Returns the content of a JSON string, as UTF-8: invalid bytes become U+FFFD, control characters blanks.
std::string json_text(std::string_view raw);
/// The same of a text without escapes.
std::string plain_text(std::string_view raw);

/// Returns whether a name is a word.
template <size_t kSize> bool is_word(std::string_view name, const char (&word)[kSize]) {
  return name.size() == kSize - 1 && std::memcmp(name.data(), word, kSize - 1) == 0;
}

/// Reads a map within one value (`JsonStream::take`), each member by `read(name)`. False: something is wrong, or the
/// window ends.
template <class Read> bool read_map(JsonStream& json, Read read) {
  if (!json.expect('{')) return false;
  std::string_view name;
  for (bool first = true; json.another('}', first);)
    if (!json.string(name) || !json.expect(':') || !read(name)) return false;
  return !json.starves() && json.wrong().empty();
}

/// The same of a list, each element by `read()`.
template <class Read> bool read_list(JsonStream& json, Read read) {
  if (!json.expect('[')) return false;
  for (bool first = true; json.another(']', first);)
    if (!read()) return false;
  return !json.starves() && json.wrong().empty();
}

/// Takes the elements of a map or a list of any length, which ends with `close`: `read()` reads one and is called again
/// if the window ended, `keep()` takes the element. False: a mistake.
template <class Read, class Keep> bool take_elements(JsonStream& json, char close, Read read, Keep keep) {
  bool first = true, more = true;
  while (true) {
    const bool taken = json.take([&] {
      bool alone = first;
      more = json.another(close, alone);
      return more ? read() : !json.starves() && json.wrong().empty();
    });
    if (!taken) return false;
    if (!more) return true;
    first = false;
    if (!keep()) return false;
  }
}

}  // namespace planner::trace
