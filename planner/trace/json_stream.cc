#include "planner/trace/json_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace planner::trace {
namespace {

constexpr size_t kWindow = size_t{1} << 20;
constexpr size_t kMostDepth = 512;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What ends a run of bytes within brackets: brackets, quotes, and the 0 behind the window.
constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (const unsigned char c : {'"', '{', '}', '[', ']', '\0'}) stops[c] = true;
  return stops;
}();

// Of a number, or of a bare word.
bool is_scalar(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

std::string shown(char c) {
  return c >= ' ' && c < 127 ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

JsonStream::JsonStream(unpack::ByteReader& bytes) : bytes_(bytes), window_(kWindow + 1) {
  at_ = mark_ = end_ = window_.data();
  more();
}

bool JsonStream::fail_at(const char* at, std::string message) {
  if (!wrong_.empty()) return false;
  wrong_ = std::move(message);
  wrong_at_ = passed_ + (at - window_.data());
  return false;
}

// Moves the window so that it begins with the mark, and reads more of the text.
bool JsonStream::more() {
  starved_ = false;
  const auto kept = static_cast<size_t>(end_ - mark_);
  if (kept >= kMostValueBytes) return fail_at(mark_, fmt::format("a value is longer than {} bytes", kMostValueBytes));
  passed_ += mark_ - window_.data();
  std::memmove(window_.data(), mark_, kept);
  if (2 * kept + 1 > window_.size()) window_.resize(2 * window_.size() + 1);
  const size_t got = bytes_.read(window_.data() + kept, window_.size() - 1 - kept);
  at_ = mark_ = window_.data();
  end_ = at_ + kept + got;
  window_[kept + got] = 0;
  if (got > 0) return true;
  at_ = end_;
  ends_early_ = wrong_.empty() && !*bytes_.wrong();
  return fail(*bytes_.wrong() ? bytes_.wrong() : "the text ends here, in the middle of a value");
}

bool JsonStream::fail_without(char c) { return fail(fmt::format("expected '{}', got {}", c, shown(*at_))); }

// A number or a bare word, up to what ends it.
bool JsonStream::scalar() {
  const char* to = at_;
  while (is_scalar(*to)) ++to;
  if (to == end_) return starve();
  if (to == at_) return fail(fmt::format("expected a value, got {}", shown(*at_)));
  at_ = to;
  return true;
}

bool JsonStream::scaled(int64_t& number, int decimals) {
  if (!blanks()) return false;
  const char* const from = at_;
  if (*at_ != '-' && !is_digit(*at_)) return fail(fmt::format("expected a number, got {}", shown(*at_)));
  if (!scalar()) return false;
  const char* p = from + (*from == '-');
  uint64_t digits = 0;
  int count = 0, behind = 0;
  bool point = false;
  for (; p < at_ && (is_digit(*p) || (*p == '.' && !point)); ++p) {
    if (*p == '.') point = true;
    else if (!point || behind < decimals)
      digits = digits * 10 + static_cast<uint64_t>(*p - '0'), behind += point, ++count;
    else if (behind++ == decimals) digits += *p >= '5';
  }
  for (; behind < decimals; ++behind) digits *= 10, ++count;
  const bool exact = p == at_ && count <= 19 && digits <= std::numeric_limits<int64_t>::max();
  if (exact) return number = (*from == '-' ? -1 : 1) * static_cast<int64_t>(digits), true;
  double value = 0;  // with an exponent
  const auto [rest, error] = std::from_chars(from, at_, value);
  value *= std::pow(10, decimals);
  const bool fits = std::abs(value) < 9e18;
  if (rest != at_ || error != std::errc() || !fits)
    return fail_at(
        from, fmt::format("expected a number, got '{:.40}'", std::string_view(from, static_cast<size_t>(at_ - from))));
  return number = std::llround(value), true;
}

bool JsonStream::skip() {
  if (!blanks()) return false;
  std::string_view text;
  if (*at_ == '"') return string(text);
  return *at_ == '{' || *at_ == '[' ? skip_brackets() : scalar();
}

// Within brackets only quotes and brackets are looked at.
bool JsonStream::skip_brackets() {
  std::array<char, kMostDepth> open{};
  size_t depth = 0;
  do {
    while (!kStops[static_cast<unsigned char>(*at_)]) ++at_;
    const char c = *at_;
    if (c == '"') {
      std::string_view text;
      if (!string(text)) return false;
    } else if (c == '{' || c == '[') {
      if (depth == open.size()) return fail("it is nested too deep");
      open[depth++] = c;
      ++at_;
    } else if (c == '}' || c == ']') {
      if (open[depth - 1] != (c == '}' ? '{' : '[')) return fail(fmt::format("expected a value, got {}", shown(c)));
      --depth;
      ++at_;
    } else if (at_ == end_) {
      return starve();
    } else {
      return fail(fmt::format("expected a value, got {}", shown(c)));
    }
  } while (depth > 0);
  return true;
}

bool JsonStream::skip(std::string_view& raw) {
  if (!blanks()) return false;
  const char* const from = at_;
  if (!skip()) return false;
  raw = {from, static_cast<size_t>(at_ - from)};
  return true;
}

bool JsonStream::pass() {
  int depth = 0;
  do {
    // One word, one string or one bracket at a time.
    const bool taken = take([&] {
      if (!blanks()) return false;
      const char c = *at_;
      std::string_view text;
      if (c == '"') return string(text);
      if (c != '{' && c != '[' && c != '}' && c != ']' && c != ',' && c != ':') return scalar();
      if (depth == 0 && c != '{' && c != '[') return fail(fmt::format("expected a value, got {}", shown(c)));
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      return ++at_, true;
    });
    if (!taken) return false;
  } while (depth > 0);
  return true;
}

bool JsonStream::ends() {
  for (;;) {
    if (blanks()) return false;
    mark_ = at_;
    if (!more()) {
      const bool clean = !*bytes_.wrong();
      if (clean) wrong_.clear(), wrong_at_ = -1;
      return clean;
    }
  }
}

namespace {

// Returns the length of the UTF-8 character that the text begins with, 0: it begins with none.
size_t glyph(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  const size_t length = lead < 0x80                   ? 1
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool wrong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
                     (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F);
  return wrong ? 0 : length;
}

void append_utf8(uint32_t code, std::string& out) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code < ' ' || code == 0x7F ? ' ' : code);
  if (code < 0x800) return put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  if (code < 0x10000) return put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
}

constexpr uint32_t kReplacement = 0xFFFD;

// The four digits of \uXXXX behind `raw`'s begin, which are taken.
uint32_t hex4(std::string_view& raw) {
  uint32_t code = kReplacement;
  const size_t length = std::min<size_t>(4, raw.size());
  const auto [to, error] = std::from_chars(raw.data(), raw.data() + length, code, 16);
  const bool whole = error == std::errc() && to == raw.data() + 4;
  raw.remove_prefix(whole ? 4 : 0);
  return whole ? code : kReplacement;
}

void append_escape(std::string_view& raw, std::string& out) {
  const char c = raw.empty() ? '\\' : raw.front();
  if (!raw.empty()) raw.remove_prefix(1);
  if (c == '"' || c == '\\' || c == '/') return void(out += c);
  if (c != 'u') return void(out += ' ');  // of a control character
  uint32_t code = hex4(raw);
  if (code >= 0xD800 && code < 0xDC00 && raw.starts_with("\\u")) {
    std::string_view rest = raw.substr(2);
    const uint32_t low = hex4(rest);
    if (low >= 0xDC00 && low < 0xE000) raw = rest, code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(code >= 0xD800 && code < 0xE000 ? kReplacement : code, out);
}

// Takes a character unchanged.
void append_glyph(std::string_view& raw, std::string& out) {
  const char c = raw.front();
  const bool control = static_cast<unsigned char>(c) < ' ' || c == 0x7F;
  const size_t length = control ? 0 : glyph(raw);
  if (control) out += ' ';
  else if (length > 0) out += raw.substr(0, length);
  else append_utf8(kReplacement, out);
  raw.remove_prefix(std::max<size_t>(1, length));
}

}  // namespace

std::string plain_text(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) append_glyph(raw, out);
  return out;
}

std::string json_text(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    if (raw.front() != '\\') {
      append_glyph(raw, out);
      continue;
    }
    raw.remove_prefix(1);
    append_escape(raw, out);
  }
  return out;
}

}  // namespace planner::trace
