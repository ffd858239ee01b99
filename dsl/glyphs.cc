#include "dsl/glyphs.h"

#include <algorithm>

#include "dsl/raw_text.h"

namespace dsl {
namespace {

struct GlyphRow {
  std::string_view bytes, name, ascii;  // "?": no ASCII equivalent
};
constexpr GlyphRow kRows[] = {
    {"\u00A0", "a no-break space", " "},
    {"\u202F", "a narrow no-break space", " "},
    {"\u2009", "a thin space", " "},
    {"\u3000", "a wide space", " "},
    {"\u200B", "a space without width", ""},
    {"\uFEFF", "a byte order mark", ""},
    {"\u201C", "a curly quote", "\""},
    {"\u201D", "a curly quote", "\""},
    {"\u201E", "a curly quote", "\""},
    {"\u2018", "a curly quote", "\""},
    {"\u2019", "a curly quote", "\""},
    {"\u2013", "a dash that is no minus", "-"},
    {"\u2014", "a dash that is no minus", "-"},
    {"\u2212", "a minus sign outside ASCII", "-"},
    {"\u00B5", "a Greek letter: the unit is written with u", "u"},
    {"\u03BC", "a Greek letter: the unit is written with u", "u"},
    {"\u00D7", "a multiplication sign outside ASCII", "*"},
    {"\u00F7", "a division sign outside ASCII", "/"},
    {"\u2264", "a comparison outside ASCII", "<="},
    {"\u2265", "a comparison outside ASCII", ">="},
    {"\u2260", "a comparison outside ASCII", "!="},
    {"\uFF1A", "a wide colon", ": "},
    {"\u20AC", "a euro sign: money is in USD", "?"},
    {"\u00A3", "a pound sign: money is in USD", "?"},
    {"\uFF0C", "a wide comma", ", "},
};

}  // namespace

std::optional<Glyph> find_glyph(std::string_view text) {
  if (is_ascii(text)) return std::nullopt;
  Glyph glyph;
  bool first = true;
  for (size_t i = 0; i < text.size();) {
    const size_t length = std::max<size_t>(utf8_length(text, i), 1);
    const std::string_view bytes = text.substr(i, length);
    i += length;
    if (is_ascii(bytes)) {
      glyph.ascii += bytes;
      continue;
    }
    const auto row = std::ranges::find(kRows, bytes, &GlyphRow::bytes);
    if (row != std::end(kRows) && row->ascii == "?") return Glyph{row->name, ""};
    if (row == std::end(kRows)) return Glyph{first ? "" : glyph.name, ""};
    if (first) glyph.name = row->name;
    first = false;
    glyph.ascii += row->ascii;
  }
  return glyph;
}

}  // namespace dsl
