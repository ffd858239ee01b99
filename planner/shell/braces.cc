// "{a,b}" and "{1..8..2}" (Bash Reference Manual, 3.5.1 "Brace Expansion").
#include <charconv>

#include "planner/shell/expansion.h"

namespace planner::shell {
namespace {

constexpr int64_t kMostItems = 10'000;

void ignore(size_t, const char*) {}

/// The first '{' outside quotes whose bracket has a comma or "..", and its '}'.
struct BraceRange {
  size_t open, close;
  std::vector<size_t> commas;
};
std::optional<BraceRange> brace_in(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\\') at += 2;
    else if (c == '\'' || c == '"') at = quote_end(text, at, ignore);
    else if (c == '$' || c == '`') at = expansion_end(text, at, ignore);
    else if (c != '{') ++at;
    else {
      BraceRange range{at, at, {}};
      int depth = 0;
      for (size_t i = at; i < text.size() && depth >= 0; ++i) {
        depth += text[i] == '{';
        depth -= text[i] == '}';
        if (depth == 1 && text[i] == ',') range.commas.push_back(i);
        if (depth == 0) {
          range.close = i;
          break;
        }
      }
      const std::string_view inside = text.substr(at + 1, range.close > at ? range.close - at - 1 : 0);
      if (range.close > at && (!range.commas.empty() || inside.find("..") != std::string_view::npos)) return range;
      ++at;
    }
    if (at == std::string_view::npos) break;
  }
  return std::nullopt;
}

/// "1..8" or "1..8..2"; empty: something else.
std::vector<std::string> numbers_of(std::string_view inside) {
  int64_t values[3] = {0, 0, 1};
  size_t n = 0;
  for (size_t at = 0; n < 3; ++n) {
    const size_t end = std::min(inside.find("..", at), inside.size());
    const auto [stop, error] = std::from_chars(inside.data() + at, inside.data() + end, values[n]);
    if (error != std::errc() || stop != inside.data() + end) return {};
    if (end == inside.size()) break;
    at = end + 2;
  }
  const int64_t step = std::max<int64_t>(1, std::abs(values[2])), from = values[0], to = values[1];
  std::vector<std::string> out;
  if (n == 0 || n > 2 || std::abs(to - from) / step >= kMostItems) return {};
  for (int64_t x = from; from <= to ? x <= to : x >= to; x += from <= to ? step : -step)
    out.push_back(std::to_string(x));
  return out;
}

}  // namespace

std::vector<PlacedText> brace_words(const PlacedText& raw) {
  const std::optional<BraceRange> range = brace_in(raw.text);
  if (!range) return {raw};
  std::vector<PlacedText> items;
  if (range->commas.empty()) {
    for (std::string& n :
         numbers_of(std::string_view(raw.text).substr(range->open + 1, range->close - range->open - 1)))
      items.push_back(computed_text(std::move(n), raw.at[range->open]));
    if (items.empty()) return {raw};
  }
  for (size_t i = 0; !range->commas.empty() && i <= range->commas.size(); ++i)
    items.push_back(raw.part(i == 0 ? range->open + 1 : range->commas[i - 1] + 1,
                             i == range->commas.size() ? range->close : range->commas[i]));
  std::vector<PlacedText> out;
  for (const PlacedText& item : items) {
    PlacedText word = raw.part(0, range->open);
    word.add(item);
    word.add(raw.part(range->close + 1, raw.text.size()));
    for (PlacedText& made : brace_words(word)) {
      if (static_cast<int64_t>(out.size()) < kMostItems) out.push_back(std::move(made));
    }
  }
  return out;
}

}  // namespace planner::shell
