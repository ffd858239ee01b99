// Where words end.
#include "dsl/raw_text.h"
#include "planner/shell/syntax.h"

namespace planner::shell {
namespace {

constexpr auto npos = std::string_view::npos;

/// The end of what a bracket encloses: `open` and `close` are counted outside quotes.
size_t bracket_end(std::string_view text, size_t at, char open, char close, const ReportMistake& report) {
  const size_t begin = at;
  for (int depth = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\\') at += 2;
    else if (c == '\'' || c == '"') at = quote_end(text, at, report);
    else if (c == '`' || (c == '$' && at + 1 < text.size() && (text[at + 1] == '(' || text[at + 1] == '{')))
      at = expansion_end(text, at, report);
    else {
      ++at;
      if (c == open) ++depth;
      if (c == close && --depth == 0) return at;
    }
    if (at == npos) return npos;
  }
  return report(begin, "the bracket is never closed"), npos;
}

}  // namespace

size_t name_length(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && text[n] != '.' && dsl::is_name_char(text[n])) ++n;
  return n > 0 && dsl::is_digit(text[0]) ? 0 : n;
}

size_t assigned_name(std::string_view word) {
  size_t n = name_length(word);
  if (n == 0) return 0;
  if (n < word.size() && word[n] == '[') {
    const size_t close = word.find(']', n);
    if (close == npos || word.find_first_of(" \t\n", n) < close) return 0;
    n = close + 1;
  }
  return word.substr(n, 1) == "=" || word.substr(n, 2) == "+=" ? n : 0;
}

size_t quote_end(std::string_view text, size_t at, const ReportMistake& report) {
  const size_t open = at;
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) {
    if (quote == '"' && text[at] == '\\') at += 2;
    else if (quote == '"' && (text[at] == '`' || text.substr(at, 2) == "$(" || text.substr(at, 2) == "${"))
      at = expansion_end(text, at, report);
    else ++at;
    if (at == npos) return npos;
  }
  if (at < text.size()) return at + 1;
  return report(open, "the quote is never closed"), npos;
}

size_t expansion_end(std::string_view text, size_t at, const ReportMistake& report) {
  if (text[at] == '`') {
    for (size_t end = at + 1; end < text.size(); ++end) {
      if (text[end] == '\\') ++end;
      else if (text[end] == '`') return end + 1;
    }
    return report(at, "the quote is never closed"), npos;
  }
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  if (next == '(') return bracket_end(text, at + 1, '(', ')', report);
  if (next == '[') return bracket_end(text, at + 1, '[', ']', report);
  if (next == '{') return bracket_end(text, at + 1, '{', '}', report);
  if (const size_t n = name_length(text.substr(at + 1))) return at + 1 + n;
  return next != '\0' && (dsl::is_digit(next) || std::string_view("@*#?$!-").find(next) != npos) ? at + 2 : at + 1;
}

size_t word_end(std::string_view text, size_t at, std::string_view stops, const ReportMistake& report) {
  const size_t begin = at, name = assigned_name(text.substr(at));
  while (at < text.size()) {
    const char c = text[at];
    const bool list = c == '(' && name > 0 && at > begin && text[at - 1] == '=' && at - begin <= name + 2;
    if (list) at = bracket_end(text, at, '(', ')', report);
    else if (dsl::is_blank(c) || c == '\n' || stops.find(c) != npos) return at;
    else if (c == '\r' && text.substr(at + 1, 1) == "\n") return at;
    else if (c == '\\') at = std::min(at + 2, text.size());
    else if (c == '\'' || c == '"') at = quote_end(text, at, report);
    else if (c == '$' && text.substr(at + 1, 1) == "'") at = quote_end(text, at + 1, report);
    else if (c == '$' || c == '`') at = expansion_end(text, at, report);
    else ++at;
    if (at == npos) return npos;
  }
  return at;
}

}  // namespace planner::shell
