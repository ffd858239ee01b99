#include "dsl/indentation.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/raw_text.h"
#include "dsl/slips.h"

namespace dsl {
namespace {

struct TextLine {
  size_t begin = 0;
  std::string_view text;  // without its end
  size_t indent() const { return std::min(text.find_first_not_of(" \t"), text.size()); }
  bool is_empty() const { return indent() == text.size() || text[indent()] == '#'; }
  std::string_view content() const { return text.substr(indent()); }
};

TextLine line_at(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  const size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::string_view line = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return {begin, line};
}

// The last line above that holds anything.
std::optional<TextLine> line_above(std::string_view text, TextLine line) {
  while (line.begin > 0) {
    line = line_at(text, line.begin - 1);
    if (!line.is_empty()) return line;
  }
  return std::nullopt;
}

// The bytes of a key with its colon at the start of a line's content, or 0.
size_t key_length(std::string_view content) {
  const size_t end = static_cast<size_t>(std::ranges::find_if_not(content, is_name_char) - content.begin());
  const bool colon = end > 0 && end < content.size() && content[end] == ':';
  return colon && (end + 1 == content.size() || is_blank(content[end + 1])) ? end : 0;
}

// Whether deeper lines may follow: "tea:", also with a comment behind it.
bool opens(const TextLine& line) {
  std::string_view text = line.text.substr(0, line.text.find(" #"));
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text.ends_with(':');
}

std::optional<LineMistake> tab(const TextLine& line, const std::optional<TextLine>& above) {
  const size_t at = line.text.substr(0, line.indent()).find('\t');
  if (at == std::string_view::npos) return std::nullopt;
  size_t wanted = above ? above->indent() : 0;
  if (above && opens(*above)) wanted += 2;
  const std::string blanks(std::max(wanted, at) - at, ' ');
  return LineMistake{line.begin + at, line.indent() - at, "a tab in the indentation",
                     fmt::format("write {} in its place: '{}'", blanks.empty() ? "nothing" : "blanks", blanks)};
}

std::optional<LineMistake> equals(const TextLine& line) {
  const auto assignment = find_assignment(line.content());
  if (!assignment) return std::nullopt;
  Slip slip = assignment_slip(*assignment);
  return LineMistake{line.begin + line.indent(), line.content().size(), slip.message, slip.hint};
}

// Whether a line above stands as far from the left, with nothing less far between.
bool is_known_indent(std::string_view text, const TextLine& line) {
  for (std::optional<TextLine> above = line_above(text, line); above; above = line_above(text, *above))
    if (above->indent() <= line.indent()) return above->indent() == line.indent();
  return line.indent() == 0;
}

std::optional<LineMistake> step(std::string_view text, const TextLine& line, const TextLine& above) {
  const size_t key = key_length(line.content()), now = line.indent(), wanted = above.indent();
  if (key == 0 || above.content().starts_with('-') || now == wanted) return std::nullopt;
  if (now > wanted ? opens(above) : is_known_indent(text, line)) return std::nullopt;
  const std::string_view name = line.content().substr(0, key);
  return LineMistake{line.begin, now + key, fmt::format("'{}' is not as far from the left as the keys above it", name),
                     fmt::format("write '{}{}'", std::string(wanted, ' '), name)};
}

}  // namespace

std::string_view line_of(std::string_view text, size_t at) { return line_at(text, at).text; }

std::optional<LineMistake> find_line_mistake(std::string_view text, size_t at) {
  const TextLine line = line_at(text, at);
  const std::optional<TextLine> above = line_above(text, line);
  if (auto mistake = tab(line, above)) return mistake;
  if (above)
    if (auto mistake = equals(*above)) return mistake;
  if (auto mistake = equals(line)) return mistake;
  return above ? step(text, line, *above) : std::nullopt;
}

}  // namespace dsl
