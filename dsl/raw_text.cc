#include "dsl/raw_text.h"

#include <algorithm>
#include <utility>

namespace dsl {

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }

size_t find_name(std::string_view text, std::string_view name, size_t from) {
  const auto is_part = [&](size_t at) { return at < text.size() && (is_name_char(text[at]) || text[at] == '.'); };
  size_t at = text.find(name, from);
  while (at != std::string_view::npos && (is_part(at - 1) || is_part(at + name.size()))) at = text.find(name, at + 1);
  return at;
}
bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

LineMap::LineMap(const Source& source) : source_(&source), starts_{0} {
  for (size_t i = source.text.find('\n'); i != std::string::npos; i = source.text.find('\n', i + 1))
    starts_.push_back(i + 1);
}

Span LineMap::at(size_t offset, size_t length) const {
  auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  auto line = next - starts_.begin();
  return {source_, static_cast<int>(line), static_cast<int>(offset - starts_[line - 1]) + 1, static_cast<int>(length)};
}

size_t offset_of(const Span& span) {
  if (!span.source) return std::string::npos;
  const std::string& text = span.source->text;
  size_t at = 0;
  for (int line = 1; line < span.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return at;
    ++at;
  }
  at += static_cast<size_t>(span.column - 1);
  return at <= text.size() ? at : std::string::npos;
}

namespace {

// End of the quoted scalar that opens at `begin`: one past its closing quote, or npos.
size_t closing_quote(std::string_view text, size_t begin) {
  const char quote = text[begin];
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 >= text.size() || text[i + 1] != quote) return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Extent scalar_extent(std::string_view text, size_t begin, std::string_view value) {
  Extent e{begin, begin};
  if (begin >= text.size()) return e;
  const char first = text[begin];
  if (first == '"' || first == '\'') {
    e.quoted = true;
    e.end = closing_quote(text, begin);
    e.closed = e.end != std::string_view::npos;
    if (!e.closed) e.end = std::min(text.find('\n', begin), text.size());
  } else if (text.substr(begin, value.size()) == value) {
    e.end = begin + value.size();  // plain, on one line: the text stands as it is
  } else {
    e.one_line = false;  // a block scalar, or a plain one folded over lines
    e.end = std::min(text.find('\n', begin), text.size());
  }
  if (e.closed && text.substr(begin, e.end - begin).find('\n') != std::string_view::npos) e.one_line = false;
  return e;
}

size_t skip_properties(std::string_view text, size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    if (is_blank(c) || c == '\n' || c == '\r') {
      ++at;
    } else if (c == '#' && (at == 0 || is_blank(text[at - 1]) || text[at - 1] == '\n')) {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '&' || c == '!') {
      at = std::min(text.find_first_of(" \t\r\n", at), text.size());
    } else {
      break;
    }
  }
  return at;
}

std::string_view LineComments::at(size_t at) {
  if (at < begin_ || at >= begin_ + signs_.size()) look_through(at);
  const size_t end = begin_ + signs_.size() - 1, sign = signs_[at - begin_];
  if (sign == end) return {};
  const std::string_view line = text_.substr(sign + 1, end - sign - 1);
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// What a byte means depends on whether it is inside quotes, so that the three cases go back through the line together.
void LineComments::look_through(size_t from) {
  const size_t end = std::min(text_.find('\n', from), text_.size());
  begin_ = from;
  signs_.assign(end - from + 1, end);
  size_t in_single = end, in_double = end, in_double_after = end;  // the same for the byte behind, inside quotes
  for (size_t i = end; i-- > from;) {
    const char c = text_[i];
    const size_t outside = signs_[i + 1 - from];
    if (c == '"') signs_[i - from] = in_double;
    else if (c == '\'') signs_[i - from] = in_single;
    else signs_[i - from] = c == '#' && i > 0 && is_blank(text_[i - 1]) ? i : outside;
    const size_t escaped = c == '\\' ? in_double_after : in_double;
    in_double_after = std::exchange(in_double, c == '"' ? outside : escaped);
    if (c == '\'') in_single = outside;
  }
}

namespace {

// Bytes of the escape at `at` ('\\') in the raw text, and bytes of the value it represents.
struct Escape {
  size_t raw, value;
};
Escape escape_at(std::string_view text, size_t at) {
  const char c = at + 1 < text.size() ? text[at + 1] : ' ';
  const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) return {2, c == 'N' || c == '_' ? 2u : c == 'L' || c == 'P' ? 3u : 1u};
  unsigned long code = 0;
  for (char d : text.substr(at + 2, std::min(digits, text.size() - std::min(at + 2, text.size()))))
    code = code * 16 + static_cast<unsigned long>(is_digit(d) ? d - '0' : (d | 0x20) - 'a' + 10);
  return {2 + digits, code < 0x80 ? 1u : code < 0x800 ? 2u : code < 0x10000 ? 3u : 4u};
}

}  // namespace

std::vector<size_t> quoted_offsets(std::string_view text, size_t begin) {
  std::vector<size_t> offsets;
  const char quote = text[begin];
  size_t i = begin + 1;
  while (i < text.size() && text[i] != '\n') {
    Escape step{1, 1};
    if (quote == '"' && text[i] == '\\') step = escape_at(text, i);
    else if (text[i] == quote && quote == '\'' && i + 1 < text.size() && text[i + 1] == quote) step = {2, 1};
    else if (text[i] == quote) break;
    offsets.insert(offsets.end(), step.value, i);
    i += step.raw;
  }
  offsets.push_back(std::min(i, text.size()));
  return offsets;
}

std::string shortened(std::string_view text) {
  constexpr size_t kLong = 60;
  if (text.size() <= kLong) return std::string(text);
  size_t end = kLong;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

size_t utf8_length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> unsigned { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto follows = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned c = byte(at);
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c <= 0xDF) return follows(at + 1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    if ((c == 0xE0 && byte(at + 1) < 0xA0) || (c == 0xED && byte(at + 1) > 0x9F)) return 0;  // overlong, surrogate
    return follows(at + 1) && follows(at + 2) ? 3 : 0;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    if ((c == 0xF0 && byte(at + 1) < 0x90) || (c == 0xF4 && byte(at + 1) > 0x8F)) return 0;
    return follows(at + 1) && follows(at + 2) && follows(at + 3) ? 4 : 0;
  }
  return 0;
}

std::optional<BadByte> find_bad_byte(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF")
    return BadByte{0, "the text begins with a byte order mark", "save it as UTF-8 without one"};
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool line_end = c == '\n' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    if ((c < 0x20 && c != '\t' && !line_end) || c == 0x7F)
      return BadByte{i, "a control byte is not allowed here", "the text must be plain UTF-8"};
    const size_t length = utf8_length(text, i);
    if (length == 0) return BadByte{i, "the text is not valid UTF-8 here", "save it as UTF-8"};
    i += length;
  }
  return std::nullopt;
}

}  // namespace dsl
