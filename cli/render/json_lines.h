// Lines of JSON that have the same members in the same order, as `--format ndjson` prints them: names are made ready
// with the first line, and nothing is built for a row but its text.
//
//     lines.begin();
//     lines.member("index", int64_t{0});
//     lines.open("choices"); lines.member("tp", int64_t{8}); lines.close();
//     lines.end();
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/render/figure_texts.h"
#include "cli/report/data.h"

namespace cli {

/// REQUIRES: every line has the same names in the same order. Objects may be null in some lines. Names are unique, and
/// objects are not nested.
class JsonLines {
 public:
  explicit JsonLines(std::string_view format);
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  void begin();
  void member(const char* name, const Cell& value) {
    char* const at = begin_member(name);
    switch (value.index()) {
      case 0:
        return put_word("null", at);
      case 1:
        return *std::get_if<bool>(&value) ? put_word("true", at) : put_word("false", at);
      case 2:
        at_ = write_count(*std::get_if<int64_t>(&value), at);
        return;
      case 3:
        at_ = figures_.write(*std::get_if<double>(&value), at);
        return;
      default:
        return put_text(*std::get_if<std::string_view>(&value));
    }
  }
  void member(const char* name, std::span<const std::string> texts);
  void open(const char* name);
  void close();
  void end();

  /// What there is since `clear`.
  std::string_view text() const { return {buffer_.get(), static_cast<size_t>(at_ - buffer_.get())}; }
  void clear() { at_ = buffer_.get(); }

 private:
  static constexpr size_t kPiece = 32;  // letters that are copied at once, whether a text has them or not

  /// A text whose memory ends on a whole piece.
  struct Padded {
    std::string letters;
    size_t size = 0;
    explicit Padded(std::string text);
  };
  struct LineName {
    Padded before;  // text before the value: `,"tp":`
    std::vector<LineName> inside = {};
  };
  using Names = std::vector<LineName>;

  LineName& next(const char* name) { return next_ < names_->size() ? (*names_)[next_++] : learn(name); }
  LineName& learn(const char* name);
  void room(size_t letters) {
    if (static_cast<size_t>(end_ - at_) < letters) grow(letters);
  }
  void grow(size_t letters);
  // Returns where the value goes; there is room for a count or a figure.
  char* begin_member(const char* name) {
    put(next(name).before);
    return at_;
  }
  template <size_t size> void put_word(const char (&word)[size], char* at) {
    std::memcpy(at, word, size - 1);
    at_ = at + size - 1;
  }
  // Letters behind its end are written, too.
  void put(const Padded& text) {
    room(text.size + kPiece + kMostLetters);
    const char* from = text.letters.data();
    char* at = at_;
    at_ += text.size;
    std::memcpy(at, from, kPiece);
    for (size_t i = kPiece; i < text.size; i += kPiece) std::memcpy(at + i, from + i, kPiece);
  }
  void put(std::string_view text);
  void put_text(std::string_view text);

  Padded head_;
  Names outer_;
  Names* names_ = &outer_;  // of the line, or of the object that is open
  size_t next_ = 0, next_outer_ = 0;
  FigureTexts figures_;
  std::string quoted_;
  std::unique_ptr<char[]> buffer_;
  char *at_ = nullptr, *end_ = nullptr;
};

}  // namespace cli
