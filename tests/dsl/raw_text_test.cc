// Places in raw text: extents of scalars, comments, properties, lines.
#include "dsl/raw_text.h"

#include <doctest/doctest.h>

namespace {

std::string extent(const std::string& text, size_t begin, const std::string& value) {
  const dsl::Extent e = dsl::scalar_extent(text, begin, value);
  std::string out = text.substr(e.begin, e.end - e.begin);
  if (e.quoted) out += " quoted";
  if (!e.closed) out += " open";
  if (!e.one_line) out += " folded";
  return out;
}

}  // namespace

TEST_CASE("a scalar's extent is found in the raw text") {
  CHECK(extent("a: b c # d", 3, "b c") == "b c");
  CHECK(extent("a: \"b\"", 3, "b") == "\"b\" quoted");
  CHECK(extent("a: \"b\\\"c\" d", 3, "b\"c") == "\"b\\\"c\" quoted");
  CHECK(extent("a: \"b\\\\\" c", 3, "b\\") == "\"b\\\\\" quoted");
  CHECK(extent("a: 'it''s' c", 3, "it's") == "'it''s' quoted");
  CHECK(extent("a: ''", 3, "") == "'' quoted");
  CHECK(extent("a: ''''", 3, "'") == "'''' quoted");
  CHECK(extent("a: \"b\nc: d", 3, "b c: d") == "\"b quoted open");
  CHECK(extent("a: 'b", 3, "b") == "'b quoted open");
  CHECK(extent("a: \"b\\", 3, "b") == "\"b\\ quoted open");
  CHECK(extent("a: b\n  c", 3, "b c") == "b folded");
  CHECK(extent("a: |\n  b\n", 3, "b\n") == "| folded");
  CHECK(extent("a: \"b\n  c\"", 3, "b c") == "\"b\n  c\" quoted folded");
  CHECK(extent("a:", 2, "") == "");
}

TEST_CASE("anchors, tags, blanks and comments before a value are skipped") {
  auto rest = [](const std::string& text) { return text.substr(dsl::skip_properties(text, 0)); };
  CHECK(rest("b") == "b");
  CHECK(rest("&a b") == "b");
  CHECK(rest("!t &a b") == "b");
  CHECK(rest("&a\n  # why\n  b") == "b");
  CHECK(rest("  b # c") == "b # c");
  CHECK(rest("# only") == "");
  CHECK(rest("&a") == "");
  CHECK(rest("") == "");
}

TEST_CASE("the comment at the end of a line is found outside quotes") {
  auto comment = [](const std::string& text) { return std::string(dsl::LineComments(text).at(0)); };
  CHECK(comment("a: 1 # one") == "one");
  CHECK(comment("a: 1 #one\nb # two") == "one");
  CHECK(comment("a: 1\nb # two") == "");
  CHECK(comment("a: 1#2") == "");
  CHECK(comment("a: 'x # y' # z") == "z");
  CHECK(comment("a: \"x \\\" # y\" # z") == "z");
  CHECK(comment("a #  ") == "");
  CHECK(comment("a # b \t\r\n") == "b");
  CHECK(comment("a: \"x\\\\\" # y") == "y");
}

TEST_CASE("the comment of a line does not depend on what was asked before") {
  const std::string text = "[a, 'b # c', it's, \"d\\\" # \", e] # one\nf # two\n";
  dsl::LineComments kept(text);
  for (const size_t step : {1, 7, 13})
    for (size_t at = 0; at < text.size(); at += step)
      CHECK(std::string(kept.at(at)) == std::string(dsl::LineComments(text).at(at)));
  CHECK(std::string(kept.at(text.find("it's") + 4)) == "one");
}

TEST_CASE("lines and columns go to offsets and back") {
  const dsl::Source source{"a", "ab\n\ncd\xC3\xA9 f\n", ""};
  const dsl::LineMap lines(source);
  for (size_t at = 0; at <= source.text.size(); ++at) {
    const dsl::Span span = lines.at(at, 1);
    CHECK(dsl::offset_of(span) == at);
  }
  CHECK(lines.at(3, 1).line == 2);
  CHECK(lines.at(4, 2).line == 3);
  CHECK(lines.at(9, 1).column == 6);
  CHECK(lines.at(4, 2).length == 2);
  CHECK(dsl::offset_of({}) == std::string::npos);
  CHECK(dsl::offset_of({&source, 9, 1, 1}) == std::string::npos);
  CHECK(dsl::offset_of({&source, 1, 999, 1}) == std::string::npos);
}

TEST_CASE("bytes that no text may hold are found at their place") {
  auto bad = [](std::string_view text) {
    const auto found = dsl::find_bad_byte(text);
    return found ? static_cast<int>(found->offset) : -1;
  };
  CHECK(bad("plain \xC3\xA9 \t\r\n") == -1);
  CHECK(bad("a\x01") == 1);
  CHECK(bad(std::string_view("ab\0", 3)) == 2);
  CHECK(bad("a\rb") == 1);
  CHECK(bad("a\x7F") == 1);
  CHECK(bad("\xC3") == 0);
  CHECK(bad("abc\xE2\x82") == 3);
  CHECK(bad("\xEF\xBB\xBF"
            "a") == 0);
  CHECK(bad("a\xEF\xBB\xBF") == -1);
}

TEST_CASE("long texts are shortened between glyphs") {
  CHECK(dsl::shortened("abc") == "abc");
  CHECK(dsl::shortened(std::string(60, 'x')) == std::string(60, 'x'));
  CHECK(dsl::shortened(std::string(61, 'x')) == std::string(60, 'x') + "...");
  CHECK(dsl::shortened(std::string(59, 'x') + "\xC3\xA9z") == std::string(59, 'x') + "...");
}
