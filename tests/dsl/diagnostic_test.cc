// Messages as they are shown, and the speller.
#include "dsl/diagnostic.h"

#include <doctest/doctest.h>

#include "dsl/raw_text.h"

namespace {

std::string shown(const std::string& text, int line, int column, int length, const std::string& hint = "") {
  const dsl::Source source{"a.yaml", text, ""};
  return dsl::render({dsl::Severity::error, {&source, line, column, length}, "wrong", hint});
}

}  // namespace

TEST_CASE("a message shows place, line, caret and hint") {
  CHECK(shown("job:\n  sequnce: 2048\n", 2, 3, 7, "did you mean 'sequence'?") ==
        "a.yaml:2:3: error: wrong\n   2 |   sequnce: 2048\n     |   ^~~~~~~\nhint: did you mean 'sequence'?\n");
  CHECK(dsl::render({dsl::Severity::warning, {}, "no place", ""}) == "warning: no place\n");
  CHECK(shown("ab", 1, 3, 1) == "a.yaml:1:3: error: wrong\n   1 | ab\n     |   ^\n");
  CHECK(shown("ab\r\n", 1, 1, 0) == "a.yaml:1:1: error: wrong\n   1 | ab\n     | ^\n");
  CHECK(shown("", 1, 1, 1) == "a.yaml:1:1: error: wrong\n   1 | \n     | ^\n");
}

TEST_CASE("the line at a place has no end, whatever ends it") {
  const dsl::Source source{"a.yaml", "first\nsecond: 2\r\n\nlast", ""};
  const auto at = [&](int line, int column) { return dsl::line_at({&source, line, column, 1}); };
  CHECK(at(1, 1) == "first");
  CHECK(at(1, 5) == "first");
  CHECK(at(2, 1) == "second: 2");
  CHECK(at(2, 9) == "second: 2");
  CHECK(at(3, 1) == "");
  CHECK(at(4, 4) == "last");
  CHECK(dsl::line_at({}) == "");
}

TEST_CASE("a caret stands below its glyph, not below its byte") {
  CHECK(shown("\"\xC3\xA9t\xC3\xA9\": x", 1, 10, 1) ==
        "a.yaml:1:10: error: wrong\n   1 | \"\xC3\xA9t\xC3\xA9\": x\n     |        ^\n");
  CHECK(shown("\ta: x", 1, 5, 1) == "a.yaml:1:5: error: wrong\n   1 |  a: x\n     |     ^\n");
}

TEST_CASE("long lines are cut around the place, and underlining ends with the line") {
  const std::string text = std::string(300, 'a') + "b" + std::string(300, 'c');
  const std::string out = shown(text, 1, 301, 1000);
  CHECK(out.find("...aaa") != std::string::npos);
  CHECK(out.find("ccc...") != std::string::npos);
  for (size_t at = 0; at < out.size();) {
    const size_t end = out.find('\n', at);
    CHECK(end - at < 150);
    at = end + 1;
  }
}

TEST_CASE("nothing that is shown can steer a terminal") {
  const std::string out = shown("a\x1B[31m\xFF", 1, 1, 1);
  CHECK(out.find('\x1B') == std::string::npos);
  CHECK(out.find("a?[31m?") != std::string::npos);
  const dsl::Source source{"\x1B]0;name", "a", ""};
  CHECK(dsl::render({dsl::Severity::error, {&source, 1, 1, 1}, "bad \x07", ""}).find('\x07') == std::string::npos);
}

TEST_CASE("colour is there when it is asked for") {
  const dsl::Source source{"a", "x", ""};
  const dsl::Diagnostic d{dsl::Severity::error, {&source, 1, 1, 1}, "wrong", ""};
  CHECK(dsl::render(d, true).find("\033[1;31merror\033[0m") != std::string::npos);
  CHECK(dsl::render(d, false).find('\033') == std::string::npos);
}

TEST_CASE("a run of mistakes ends somewhere") {
  dsl::Diagnostics d;
  for (int i = 0; i < 1000; ++i) d.error({}, "wrong");
  CHECK(d.list.size() == 101);
  CHECK(d.list.back().message == "more than 100 mistakes; the rest is not shown");
  CHECK(d.has_errors());
  dsl::Diagnostics w;
  w.warning({}, "look");
  CHECK(!w.has_errors());
  for (int i = 0; i < 1000; ++i) w.warning({}, "look");
  CHECK(w.list.back().message == "more than 100 warnings; the rest is not shown");
  w.error({}, "wrong");
  CHECK(w.has_errors());
}

TEST_CASE("quoted text knows the raw place of each byte of its value") {
  const std::string text = "x: \"a\\\"b\\u00e9\\x41c\"";
  const std::vector<size_t> offsets = dsl::quoted_offsets(text, 3);
  // a \" b \u00e9 (two bytes of UTF-8) \x41 c, and the closing quote
  CHECK(offsets == std::vector<size_t>{4, 5, 7, 8, 8, 14, 18, 19});
  CHECK(dsl::quoted_offsets("'it''s'", 0) == std::vector<size_t>{1, 2, 3, 5, 6});
  CHECK(dsl::quoted_offsets("\"open", 0).size() == 5);
}

TEST_CASE("UTF-8 is told from what only looks like it") {
  CHECK(dsl::utf8_length("\xC3\xA9", 0) == 2);
  CHECK(dsl::utf8_length("\xE2\x82\xAC", 0) == 3);
  CHECK(dsl::utf8_length("\xF0\x9F\x98\x80", 0) == 4);
  for (const char* bad :
       {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
    CHECK(dsl::utf8_length(bad, 0) == 0);
}
