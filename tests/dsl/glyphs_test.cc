// Letters outside ASCII that look like ordinary ones.
#include "dsl/glyphs.h"

#include <doctest/doctest.h>

TEST_CASE("a text with letters of a word processor is written in ASCII") {
  const struct {
    const char *text, *name, *ascii;
  } rows[] = {
      {"2\u00A0USD/h", "a no-break space", "2 USD/h"},
      {"2\u202FUSD/h", "a narrow no-break space", "2 USD/h"},
      {"2\u2009GB", "a thin space", "2 GB"},
      {"\u3000use", "a wide space", " use"},
      {"tp\u200B", "a space without width", "tp"},
      {"\u201C8\u201D", "a curly quote", "\"8\""},
      {"\u2018gpt\u2019", "a curly quote", "\"gpt\""},
      {"\u20132", "a dash that is no minus", "-2"},
      {"\u20142", "a dash that is no minus", "-2"},
      {"\u22122", "a minus sign outside ASCII", "-2"},
      {"5 \u00B5s", "a Greek letter: the unit is written with u", "5 us"},
      {"5 \u03BCs", "a Greek letter: the unit is written with u", "5 us"},
      {"3\u00D7100", "a multiplication sign outside ASCII", "3*100"},
      {"6\u00F72", "a division sign outside ASCII", "6/2"},
      {"a \u2264 b", "a comparison outside ASCII", "a <= b"},
      {"a \u2265 b", "a comparison outside ASCII", "a >= b"},
      {"a \u2260 b", "a comparison outside ASCII", "a != b"},
      {"tp\uFF1A4", "a wide colon", "tp: 4"},
      {"1\uFF0C2", "a wide comma", "1, 2"},
      {"2 \u20AC/h", "a euro sign: money is in USD", ""},
      {"\u00A32/h", "a pound sign: money is in USD", ""},
      {"gr\u00FC\u00DFe", "", ""},
      {"\u00A0gr\u00FCn", "a no-break space", ""},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.text));
    const auto glyph = dsl::find_glyph(row.text);
    REQUIRE(glyph);
    CHECK(std::string(glyph->name) == row.name);
    CHECK(glyph->ascii == row.ascii);
  }
  CHECK(!dsl::find_glyph("80 GB"));
  CHECK(!dsl::find_glyph(""));
}
