// The operations behind a name that has a value: "${NAME%.*}", "${NAME/a/b}", "${NAME^^}", "${NAME:2:3}" (Bash
// Reference Manual, 3.5.3 "Shell Parameter Expansion").
#include <algorithm>
#include <cstring>

#include "planner/shell/expansion.h"

namespace planner::shell {
namespace {

/// Returns the length of the shortest or longest part at the front (or the end) that fits; npos: none.
size_t fitting(const std::string& text, const std::string& pattern, bool front, bool longest) {
  size_t best = std::string::npos;
  for (size_t n = 0; n <= text.size(); ++n) {
    if (!fits_pattern(front ? text.substr(0, n) : text.substr(text.size() - n), pattern)) continue;
    best = n;
    if (!longest) break;
  }
  return best;
}

PlacedText replaced(const PlacedText& value, const std::string& pattern, const PlacedText& by, char where, bool each) {
  PlacedText out;
  const size_t size = value.text.size();
  bool done = pattern.empty();
  for (size_t i = 0; i < size || (i == size && where == '%' && !done);) {
    size_t best = 0;
    for (size_t n = size - i; n > 0 && !done && best == 0; --n)
      if ((where != '%' || i + n == size) && fits_pattern(value.text.substr(i, n), pattern)) best = n;
    if (best > 0 && (where != '#' || i == 0)) {
      out.add(by);
      i += best;
      done = !each;
    } else if (i < size) {
      out.add(value.text[i], value.at[i]);
      ++i;
    } else {
      break;
    }
  }
  return out;
}

PlacedText other_case(PlacedText text, bool large, bool all) {
  const size_t n = all ? text.text.size() : std::min<size_t>(1, text.text.size());
  for (size_t i = 0; i < n; ++i) {
    char& c = text.text[i];
    if (!large) c = dsl::small(c);
    else if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

}  // namespace

/// ":FROM" or ":FROM:LENGTH"; nullopt: the numbers are not known.
std::optional<PlacedText> WordExpander::part_of(const PlacedText& value, TextRange operation) {
  const size_t second = std::min(text_.find(':', operation.from + 1), operation.to);
  const auto size = static_cast<int64_t>(value.text.size());
  const std::optional<int64_t> offset = number_of({operation.from + 1, second});
  const std::optional<int64_t> length =
      second < operation.to ? number_of({second + 1, operation.to}) : std::optional<int64_t>(size);
  if (!offset || !length) return std::nullopt;
  const int64_t from = std::clamp<int64_t>(*offset < 0 ? size + *offset : *offset, 0, size);
  const int64_t to = *length < 0 ? size + *length : from + std::min(*length, size);
  return value.part(static_cast<size_t>(from), static_cast<size_t>(std::clamp<int64_t>(to, from, size)));
}

/// The operations behind a name that has a value: parts, patterns, replacements, cases.
void WordExpander::changed(const PlacedText& value, TextRange operation, TextRange range, bool quoted,
                           WordFields& out) {
  const std::string_view raw = operation.in(text_);
  const auto pattern_of = [this](TextRange part) {
    WordExpander apart(code_, state_, capture_);
    return apart.pattern(part).text;
  };
  const char sign = raw[0];
  const bool twice = raw.size() > 1 && raw[1] == sign;
  if (sign == '#' || sign == '%') {
    const size_t n = fitting(value.text, pattern_of({operation.from + 1 + twice, operation.to}), sign == '#', twice);
    if (n == std::string::npos) return add_value(value, quoted, out);
    const size_t size = value.text.size();
    return add_value(sign == '#' ? value.part(n, size) : value.part(0, size - n), quoted, out);
  }
  if (sign == '^' || sign == ',') return add_value(other_case(value, sign == '^', twice), quoted, out);
  if (sign == '/') {
    const char where = raw.size() > 1 && std::strchr("#%", raw[1]) ? raw[1] : ' ';
    const size_t from = operation.from + 1 + (twice || where != ' ');
    const size_t slash = std::min(text_.find('/', from), operation.to);
    WordExpander apart(code_, state_, capture_);
    const PlacedText by = slash < operation.to ? apart.whole({slash + 1, operation.to}) : PlacedText{};
    return add_value(replaced(value, pattern_of({from, slash}), by, where, twice), quoted, out);
  }
  if (sign == ':')
    if (const std::optional<PlacedText> part = part_of(value, operation)) return add_value(*part, quoted, out);
  add_open(range, quoted, out);
}

}  // namespace planner::shell
