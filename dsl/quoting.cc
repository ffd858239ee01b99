#include "dsl/quoting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dsl/raw_text.h"

namespace dsl {
namespace {

/// One letter of a text: its bytes, and its number where it is hidden.
struct Letter {
  std::string_view bytes;
  unsigned code = 0;  // below U+10000; that of a broken byte is U+FFFD
  bool hidden = false;
};

struct CodeRange {
  unsigned first, last;
};
constexpr std::array<CodeRange, 9> kHidden{{{0x00, 0x1F},
                                            {0x7F, 0x9F},
                                            {0x061C, 0x061C},    // Arabic letter mark
                                            {0x200E, 0x200F},    // left-to-right, right-to-left marks
                                            {0x2028, 0x202E},    // line and paragraph ends, embeddings, overrides
                                            {0x2066, 0x2069},    // isolates
                                            {0xFEFF, 0xFEFF},    // byte order mark
                                            {0xFFF9, 0xFFFB},    // interlinear annotation
                                            {0xFFFE, 0xFFFF}}};  // no characters

Letter letter_at(std::string_view text, size_t at) {
  if (text[at] >= ' ' && text[at] <= '~') return {text.substr(at, 1)};
  const size_t length = utf8_length(text, at);
  if (length == 0) return {text.substr(at, 1), 0xFFFD, true};
  Letter letter{text.substr(at, length)};
  if (length > 3) return letter;
  letter.code = static_cast<unsigned char>(text[at]) & (length == 1 ? 0x7Fu : length == 2 ? 0x1Fu : 0x0Fu);
  for (const char c : letter.bytes.substr(1)) letter.code = letter.code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  letter.hidden = std::ranges::any_of(
      kHidden, [&](const CodeRange& range) { return letter.code >= range.first && letter.code <= range.last; });
  return letter;
}

template <class Use> void each_letter(std::string_view text, Use use) {
  for (size_t at = 0; at < text.size();) {
    const Letter letter = letter_at(text, at);
    use(letter);
    at += letter.bytes.size();
  }
}

/// The escape of a hidden letter that JSON, YAML, TOML, Python and Groovy share.
std::string escape(unsigned code) {
  switch (code) {
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\u{:04x}", code);
  }
}

std::string escaped(std::string_view text, char quote) {
  std::string out(1, quote);
  each_letter(text, [&](const Letter& letter) {
    if (letter.hidden) {
      out += escape(letter.code);
      return;
    }
    if (letter.bytes[0] == quote || letter.bytes[0] == '\\') out += '\\';
    out += letter.bytes;
  });
  return out + quote;
}

/// $'...': every hidden byte as three octal digits, which no digit behind them lengthens.
std::string ansi_quoted(std::string_view word) {
  std::string out = "$'";
  each_letter(word, [&](const Letter& letter) {
    if (letter.hidden) {
      for (const char c : letter.bytes) out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      return;
    }
    if (letter.bytes == "'" || letter.bytes == "\\") out += '\\';
    out += letter.bytes;
  });
  return out + "'";
}

}  // namespace

size_t find_hidden(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Letter letter = letter_at(text, at);
    if (letter.hidden) return at;
    at += letter.bytes.size();
  }
  return std::string_view::npos;
}

std::string printable(std::string_view text, std::string_view keep) {
  if (find_hidden(text) == std::string_view::npos) return std::string(text);
  std::string out;
  each_letter(text, [&](const Letter& letter) {
    const bool blank = letter.bytes == "\t" || letter.bytes == "\n" || letter.bytes == "\r";
    if (!letter.hidden || keep.find(letter.bytes) != std::string_view::npos) out += letter.bytes;
    else out += blank ? ' ' : '?';
  });
  return out;
}

std::string double_quoted(std::string_view text) { return escaped(text, '"'); }

std::string groovy_text(std::string_view text) { return escaped(text, '\''); }

std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text, "\n")) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + "\"";
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_word(std::string_view word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  const bool plain = word.find_first_not_of(kPlain) == std::string::npos;
  if (plain && !word.empty() && word[0] != '=') return std::string(word);  // zsh looks for a program behind '='
  if (find_hidden(word) != std::string_view::npos) return ansi_quoted(word);
  return single_quoted(word);
}

/// Nothing that parallel replaces begins with a brace and a quote, a letter or a blank: where another byte follows, the
/// quotes end and begin anew.
std::string parallel_word(std::string_view word) {
  constexpr std::string_view kHarmless = "'\" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::string quoted = shell_word(word), anew = quoted.starts_with('$') ? "{'$'" : "{''";
  std::string out;
  for (size_t i = 0; i < quoted.size(); ++i)
    out += quoted[i] == '{' && kHarmless.find(quoted[i + 1]) == std::string_view::npos ? anew : quoted.substr(i, 1);
  return out;
}

}  // namespace dsl
