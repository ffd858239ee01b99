#include "planner/python/python_tokens.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "dsl/raw_text.h"

namespace planner {
namespace {

using Kind = PythonToken::Kind;

constexpr size_t kMostTokens = 2'000'000;
constexpr int kMostBrackets = 200;
constexpr std::array<std::string_view, 26> kLongSigns = {"**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<",
                                                         "==",  "!=",  "<=",  ">=",  "->",  ":=", "+=", "-=", "*=",
                                                         "/=",  "%=",  "&=",  "|=",  "^=",  "@=", "<>", "!"};

bool is_word(char c) { return dsl::is_name_char(c) || static_cast<unsigned char>(c) >= 0x80; }

/// The length of the prefix and quote that begin a string, or 0.
size_t string_opening(std::string_view text) {
  size_t at = 0;
  while (at < 2 && at < text.size() && std::string_view("rRbBuUfFtT").find(text[at]) != std::string_view::npos) ++at;
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return 0;
  const bool is_long = text.substr(at, 3) == std::string(3, text[at]);
  return at + (is_long ? 3 : 1);
}

size_t quote_length(std::string_view written, size_t opening) {
  return opening >= 3 && written[opening - 2] == written[opening - 1] ? 3 : 1;
}

class PythonLexer {
 public:
  PythonLexer(const dsl::Source& source, dsl::Diagnostics& diagnostics)
      : text_(source.text), lines_(source), diagnostics_(diagnostics) {}

  std::vector<PythonToken> read() {
    while (!failed_ && at_ < text_.size()) {
      if (at_line_start_ && brackets_.empty()) begin_line();
      else read_one();
    }
    if (!failed_ && !brackets_.empty()) fail(brackets_.back(), "this bracket is not closed");
    if (failed_) return {};
    if (!at_line_start_) push(Kind::newline, text_.size(), text_.size());
    for (; indents_.size() > 1; indents_.pop_back()) push(Kind::dedent, text_.size(), text_.size());
    push(Kind::end, text_.size(), text_.size());
    return std::move(tokens_);
  }

 private:
  void fail(size_t at, const std::string& message, const std::string& hint = {}) {
    diagnostics_.error(lines_.at(std::min(at, text_.size()), 1), message, hint);
    failed_ = true;
  }

  void push(Kind kind, size_t begin, size_t end) {
    if (tokens_.size() >= kMostTokens && !failed_)
      fail(begin, "the file has more than " + std::to_string(kMostTokens) + " words", "leave out what is not needed");
    tokens_.push_back({kind, begin, end});
  }

  void begin_line() {
    size_t width = 0, at = at_;
    for (; at < text_.size() && (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\f'); ++at)
      width = text_[at] == '\t' ? width / 8 * 8 + 8 : width + 1;
    at_ = at;
    if (at == text_.size()) return;
    if (text_[at] == '\n' || text_[at] == '\r') return static_cast<void>(++at_);
    if (text_[at] == '#') return skip_comment();
    at_line_start_ = false;
    if (width > indents_.back()) {
      if (indents_.size() > static_cast<size_t>(kMostBrackets)) return fail(at, "blocks nest too deep");
      indents_.push_back(width);
      push(Kind::indent, at, at);
    }
    for (; width < indents_.back(); indents_.pop_back()) push(Kind::dedent, at, at);
    if (width != indents_.back()) fail(at, "this line's indentation is that of no block");
  }

  void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void read_one() {
    const char c = text_[at_];
    if (c == '\n') {
      if (brackets_.empty()) {
        push(Kind::newline, at_, at_ + 1);
        at_line_start_ = true;
      }
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\f' || c == '\r') ++at_;
    else if (c == '#') skip_comment();
    else if (c == '\\') join_line();
    else if (const size_t opening = string_opening(text_.substr(at_))) read_string(opening);
    else if (dsl::is_digit(c) || (c == '.' && at_ + 1 < text_.size() && dsl::is_digit(text_[at_ + 1]))) read_number();
    else if (is_word(c)) take(Kind::name, word_length(at_));
    else read_sign();
  }

  void join_line() {
    size_t next = at_ + 1;
    if (next < text_.size() && text_[next] == '\r') ++next;
    if (next < text_.size() && text_[next] != '\n') return fail(at_, "a line goes on only after a '\\' at its end");
    at_ = std::min(next + 1, text_.size());
  }

  size_t word_length(size_t at) const {
    size_t end = at;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return end - at;
  }

  void take(Kind kind, size_t length) {
    push(kind, at_, at_ + length);
    at_ += length;
  }

  void read_string(size_t opening) {
    const size_t marks = quote_length(text_.substr(at_), opening);
    const std::string_view mark = text_.substr(at_ + opening - marks, marks);
    for (size_t end = at_ + opening; end < text_.size(); ++end) {
      if (text_[end] == '\n' && marks == 1) break;
      if (text_.substr(end, marks) == mark) return take(Kind::string, end + marks - at_);
      if (text_[end] == '\\') ++end;
    }
    fail(at_, "this string is not closed");
  }

  void read_number() {
    size_t end = at_;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      const bool is_sign = (c == '+' || c == '-') && dsl::small(text_[end - 1]) == 'e' &&
                           dsl::small(text_[std::min(at_ + 1, end)]) != 'x';
      if (!is_word(c) && c != '.' && !(end > at_ && is_sign)) break;
    }
    take(Kind::number, end - at_);
  }

  void read_sign() {
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view sign : kLongSigns)
      if (rest.starts_with(sign)) return take(Kind::sign, sign.size());
    const char c = rest.front();
    if (std::string_view("([{").find(c) != std::string_view::npos) {
      if (brackets_.size() >= static_cast<size_t>(kMostBrackets)) return fail(at_, "brackets nest too deep");
      brackets_.push_back(at_);
    } else if (std::string_view(")]}").find(c) != std::string_view::npos) {
      const std::string_view pairs = "()[]{}";
      if (brackets_.empty() || pairs[pairs.find(c) - 1] != text_[brackets_.back()])
        return fail(at_, "this bracket closes none");
      brackets_.pop_back();
    } else if (std::string_view("+-*/%@&|^~<>=.,:;").find(c) == std::string_view::npos) {
      return fail(at_, "this is no Python: a character that begins no word");
    }
    take(Kind::sign, 1);
  }

  std::string_view text_;
  dsl::LineMap lines_;
  dsl::Diagnostics& diagnostics_;
  std::vector<PythonToken> tokens_;
  std::vector<size_t> indents_{0}, brackets_;
  size_t at_ = 0;
  bool at_line_start_ = true, failed_ = false;
};

void add_letter(uint32_t code, std::string& out) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) out += ' ';
  else if (code < 0x80) out += static_cast<char>(code);
  else {
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr int kLead[] = {0, 0xc0, 0xe0, 0xf0};
    out += static_cast<char>(kLead[more] | (code >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
  }
}

/// Appends the letter whose number a backslash gives ("101", "x41", "u00e9"). Returns the length of that; 0: no number.
size_t add_numbered(std::string_view text, bool is_bytes, std::string& out) {
  const bool is_octal = text[0] >= '0' && text[0] <= '7';
  const size_t digits = text[0] == 'x' ? 2 : text[0] == 'u' ? 4 : text[0] == 'U' ? 8 : 0;
  if (!is_octal && (digits == 0 || (is_bytes && digits > 2))) return 0;
  const std::string_view number = is_octal ? text.substr(0, 3) : text.substr(1, digits);
  uint32_t code = 0;
  const char* end = std::from_chars(number.data(), number.data() + number.size(), code, is_octal ? 8 : 16).ptr;
  const auto length = static_cast<size_t>(end - number.data());
  if ((!is_octal && length != digits) || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  if (is_bytes && code >= 0x80) return 0;
  add_letter(code, out);
  return is_octal ? length : length + 1;
}

/// Appends what a backslash before `c` stands for; one before another letter stands for itself.
void add_escaped(char c, std::string& out) {
  constexpr std::string_view kBlank = "abfnrtv";
  const bool is_known = std::string_view("\\'\"").find(c) != std::string_view::npos;
  if (kBlank.find(c) != std::string_view::npos) return static_cast<void>(out += ' ');
  if (!is_known) out += '\\';
  out += c;
}

}  // namespace

std::vector<PythonToken> python_tokens(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  return PythonLexer(source, diagnostics).read();
}

bool is_python_format(std::string_view written) {
  const std::string_view prefix = written.substr(0, written.find_first_of("\"'"));
  return prefix.find_first_of("fFtT") != std::string_view::npos && written.find('{') != std::string_view::npos;
}

std::string python_string(std::string_view written) {
  const size_t opening = string_opening(written), marks = quote_length(written, opening);
  const std::string_view prefix = written.substr(0, opening - marks);
  const bool is_raw = prefix.find_first_of("rR") != std::string_view::npos;
  const bool is_bytes = prefix.find_first_of("bB") != std::string_view::npos;
  const std::string_view body = written.substr(opening, written.size() - opening - marks);
  std::string out;
  for (size_t i = 0; i < body.size(); ++i) {
    char c = body[i];
    if (c == '\\' && !is_raw && i + 1 < body.size()) {
      c = body[++i];
      if (c == '\n') continue;
      const size_t length = add_numbered(body.substr(i), is_bytes, out);
      if (length == 0) add_escaped(c, out);
      else i += length - 1;
      continue;
    }
    out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  return out;
}

std::string python_number(std::string_view written) {
  std::string text(written);
  std::erase(text, '_');
  std::ranges::transform(text, text.begin(), dsl::small);
  const char kind = text.size() > 2 && text[0] == '0' ? text[1] : ' ';
  if (const int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0) {
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, base);
    return error == std::errc() && end == text.data() + text.size() ? std::to_string(value) : "";
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? text : "";
}

}  // namespace planner
