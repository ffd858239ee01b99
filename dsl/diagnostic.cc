#include "dsl/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/quoting.h"
#include "dsl/raw_text.h"

namespace dsl {
namespace {

constexpr size_t kMostShown = 100;  // mistakes in one run; a file of garbage has no more to say
constexpr size_t kWindow = 120;     // bytes of a long line that are shown

void add(std::vector<Diagnostic>& list, Severity severity, Span span, std::string message, std::string hint) {
  // Counted apart: no number of warnings hides an error.
  const auto alike = static_cast<size_t>(std::ranges::count(list, severity, &Diagnostic::severity));
  if (alike > kMostShown) return;
  if (alike == kMostShown) {
    const char* what = severity == Severity::error ? "mistakes" : "warnings";
    list.push_back({severity, span, fmt::format("more than {} {}; the rest is not shown", kMostShown, what), ""});
    return;
  }
  list.push_back({severity, span, std::move(message), std::move(hint)});
}

size_t glyphs(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool inside_glyph(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

std::string excerpt(const Span& span, bool color) {
  const size_t at = offset_of(span);
  if (at == std::string::npos) return "";
  const std::string_view line = line_at(span);
  const size_t column = std::min(static_cast<size_t>(span.column - 1), line.size());
  size_t from = column > kWindow * 2 / 3 ? column - kWindow / 2 : 0;
  while (from > 0 && inside_glyph(line, from)) --from;
  size_t to = std::min(line.size(), from + kWindow);
  while (to < line.size() && inside_glyph(line, to)) ++to;
  const std::string head = from > 0 ? "..." : "", tail = to < line.size() ? "..." : "";
  const size_t mark = std::min(column, to);
  const size_t length =
      std::clamp<size_t>(static_cast<size_t>(std::max(span.length, 1)), 1, std::max<size_t>(to - mark, 1));
  const std::string before = printable(line.substr(from, mark - from));
  const size_t wide = std::max<size_t>(glyphs(printable(line.substr(mark, std::min(length, to - mark)))), 1);
  return fmt::format("{:>4} | {}{}{}\n     | {}{}^{}{}\n", span.line, head, printable(line.substr(from, to - from)),
                     tail, std::string(head.size() + glyphs(before), ' '), color ? "\033[1;32m" : "",
                     std::string(wide - 1, '~'), color ? "\033[0m" : "");
}

}  // namespace

std::string_view line_at(const Span& span) {
  const size_t at = offset_of(span);
  if (at == std::string::npos) return {};
  std::string_view line = std::string_view(span.source->text).substr(at - static_cast<size_t>(span.column - 1));
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void Diagnostics::error(Span span, std::string message, std::string hint) {
  add(list, Severity::error, span, std::move(message), std::move(hint));
}

std::nullopt_t Diagnostics::refuse(Span span, std::string message, std::string hint) {
  error(span, std::move(message), std::move(hint));
  return std::nullopt;
}

void Diagnostics::warning(Span span, std::string message, std::string hint) {
  add(list, Severity::warning, span, std::move(message), std::move(hint));
}

void Diagnostics::append(const Diagnostics& more) { list.insert(list.end(), more.list.begin(), more.list.end()); }

bool Diagnostics::has_errors() const {
  return std::any_of(list.begin(), list.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string Diagnostics::first_error() const {
  const auto error = std::ranges::find(list, Severity::error, &Diagnostic::severity);
  return error == list.end() ? "it cannot be read" : error->message;
}

bool has_bad_byte(const Source& source, Diagnostics& diagnostics) {
  const std::optional<BadByte> bad = find_bad_byte(source.text);
  if (bad) diagnostics.error(LineMap(source).at(bad->offset, 1), bad->message, bad->hint);
  return bad.has_value();
}

std::string render(const Diagnostic& d, bool color) {
  const bool is_error = d.severity == Severity::error;
  std::string label = is_error ? "error" : "warning";
  if (color) label = (is_error ? "\033[1;31m" : "\033[1;35m") + label + "\033[0m";
  std::string out;
  if (d.span.source) out = fmt::format("{}:{}:{}: ", printable(d.span.source->name), d.span.line, d.span.column);
  out += fmt::format("{}: {}\n", label, printable(d.message));
  if (d.span.source) out += excerpt(d.span, color);
  if (!d.hint.empty()) out += fmt::format("hint: {}\n", printable(d.hint));
  return out;
}

}  // namespace dsl
