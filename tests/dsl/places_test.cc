// Where a mistake is shown: columns through quotes and glyphs, carets, and the nearest word.
#include <doctest/doctest.h>

#include "dsl/raw_text.h"
#include "tests/dsl/sample.h"

using sample::complete;
using sample::Run;

namespace {

// What the first message underlines in the raw text.
std::string underlined(const std::string& line) {
  Run run(complete(line + "\n"));
  if (run.diagnostics.list.empty()) return "";
  const dsl::Span& span = run.diagnostics.list[0].span;
  const size_t at = dsl::offset_of(span);
  if (at == std::string::npos || span.line != 4) return "elsewhere";
  return span.source->text.substr(at, static_cast<size_t>(span.length));
}

std::string shown(const std::string& text, int line, int column, int length, const std::string& message = "m") {
  const dsl::Source source{"f", text, ""};
  return dsl::render({dsl::Severity::error, {&source, line, column, length}, message, ""});
}

// The two lines below the message: the text and its caret.
std::string caret(const std::string& text, int column, int length) {
  const std::string out = shown(text, 1, column, length);
  return out.substr(out.find('\n') + 1);
}

}  // namespace

TEST_CASE("the bytes that a message underlines are the wrong ones and no more") {
  const struct {
    const char *line, *underlined;
  } rows[] = {
      {"jub: 3", "jub"},
      {"\"jub\": 3", "\"jub\""},
      {"parallelism: {tp: 0}", "0"},
      {"parallelism: {tp: \"0\"}", "\"0\""},
      {"parallelism: {tp: '0'}", "'0'"},
      {"parallelism: {tp: 1 + unknown, pp: 2}", "unknown"},
      {"parallelism: {tp: \"1 + unknown\", pp: 2}", "unknown"},
      {"parallelism: {tp: '1 + unknown', pp: 2}", "unknown"},
      {"parallelism: {tp: \"1 + \\x75nknown\", pp: 2}", "\\x75nknown"},
      {"parallelism: {tp: \"1\\t+ unknown\"}", "unknown"},
      {"parallelism: {tp: 2 * (1 + 1 s) * 2}", "1 + 1 s"},
      {"parallelism: {tp: 3 KB}", "KB"},
      {"parallelism: {tp: 3   KB}", "KB"},
      {"parallelism: {tp: max(2 s) * unknown}", "unknown"},
      {"parallelism: {tp: ceil(2 s)}", "2 s"},
      {"parallelism: {tp: 1 / (2 - 2)}", "2 - 2"},
      {"parallelism: {tp: [2, 0]}", "0"},
      {"parallelism: {tp: [2, {}]}", "{}"},
      {"parallelism: {tp: {a: 1}}", "{a: 1}"},
      {"parallelism: {tp: }", "tp"},
      {"parallelism: {tp: ~}", "~"},
      {"parallelism: {tp: 2, tp: 3}", "tp"},
      {"parallelism: {order: tp-dp}", "tp-dp"},
      {"parallelism: {order: \"tp-dp\"}", "\"tp-dp\""},
      {"parallelism: 3", "3"},
      {"parallelism: [1]", "[1]"},
      {"let: {x: y, y: x}", "x"},
      {"let: {s: 1}", "s"},
      {"let: {\"a b\": 1}", "\"a b\""},
      {"goal: {minimize: step + usd}", "step + usd"},
      {"where: [step]", "step"},
      {"where: [\"step < 1 s and usd\"]", "usd"},
      {"where: ['\"caf\xC3\xA9\" == unknown']", "unknown"},
      {"where: [\"\\\"caf\xC3\xA9\\\" == unknown\"]", "unknown"},
      {"where: ['\"it''s\" == unknown']", "unknown"},
      {"where: [\"'\"]", "'"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.line));
    CHECK(underlined(row.line) == std::string(row.underlined));
  }
}

TEST_CASE("columns count bytes: every glyph before a mistake moves it by its length") {
  for (const std::string& glyph :
       {std::string("x"), std::string("\xC3\xA9"), std::string("\xE2\x82\xAC"), std::string("\xF0\x9F\x98\x80")})
    for (int count : {0, 1, 7}) {
      std::string name;
      for (int i = 0; i < count; ++i) name += glyph;
      INFO(name);
      Run run(complete("where: ['\"" + name + "\" == nothing']\n"));
      REQUIRE(run.diagnostics.list.size() == 1);
      CHECK(run.diagnostics.list[0].span.column == static_cast<int>(name.size()) + 16);
      const std::string out = run.errors();  // the caret counts glyphs
      const size_t caret = out.find('^'), line = out.rfind('\n', caret);
      CHECK(caret - line == 15 + 8 + static_cast<size_t>(count));
    }
}

TEST_CASE("a value over several lines is refused where it begins, whatever its style") {
  for (const char* text :
       {"1 +\n    2", "|\n    2", ">\n    2", "\"1\n    2\"", "'1\n    2'", "|-\n    2", ">+\n    2"}) {
    INFO(std::string(text));
    Run run(complete("parallelism:\n  tp: " + std::string(text) + "\n"));
    CHECK(run.first() == "5:7: a value stands on one line");
    CHECK(run.diagnostics.list.size() == 1);
  }
}

TEST_CASE("carets stand below what they mean: at ends, tabs and glyphs of any length") {
  const struct {
    const char* text;
    int column, length;
    const char* below;
  } rows[] = {
      {"abc", 1, 3, "   1 | abc\n     | ^~~\n"},
      {"abc", 3, 1, "   1 | abc\n     |   ^\n"},
      {"abc", 3, 99, "   1 | abc\n     |   ^\n"},
      {"abc", 4, 1, "   1 | abc\n     |    ^\n"},
      {"abc", 4, 9, "   1 | abc\n     |    ^\n"},
      {"abc", 2, 0, "   1 | abc\n     |  ^\n"},
      {"abc", 2, -5, "   1 | abc\n     |  ^\n"},
      {"a\tb", 3, 1, "   1 | a b\n     |   ^\n"},
      {"\t\tb", 1, 3, "   1 |   b\n     | ^~~\n"},
      {"\xC3\xA9z", 3, 1, "   1 | \xC3\xA9z\n     |  ^\n"},
      {"\xE2\x82\xAC\xE2\x82\xAC", 1, 6, "   1 | \xE2\x82\xAC\xE2\x82\xAC\n     | ^~\n"},
      {"a\xF0\x9F\x98\x80z", 6, 1, "   1 | a\xF0\x9F\x98\x80z\n     |   ^\n"},
      {"a\r", 1, 2, "   1 | a\n     | ^\n"},
      {"a\nb", 1, 5, "   1 | a\n     | ^\n"},
      {"\xFF\xFE", 2, 1, "   1 | ??\n     |  ^\n"},
      {"", 1, 1, "   1 | \n     | ^\n"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.text), " ", row.column);
    CHECK(caret(row.text, row.column, row.length) == std::string(row.below));
  }
}

TEST_CASE("a place outside the text has no line to show") {
  for (const auto& [line, column] : {std::pair{2, 1}, {9, 1}, {1, 99}}) {
    const auto& said_column = column;
    const auto& said_line = line;
    INFO(said_line, ":", said_column);
    CHECK(shown("abc", line, column, 1) == "f:" + std::to_string(line) + ":" + std::to_string(column) + ": error: m\n");
  }
}

TEST_CASE("of a long line a window is shown, with the caret below its place in it") {
  std::string text;
  for (int i = 0; i < 400; ++i) text += static_cast<char>('a' + i % 26);
  for (int column = 1; column <= 400; column += 7) {
    INFO(column);
    const std::string out = caret(text, column, 5);
    const size_t end = out.find('\n'), mark = out.find('^');
    REQUIRE(mark != std::string::npos);
    CHECK(end <= 140);
    CHECK(out[mark - end - 1] == text[static_cast<size_t>(column) - 1]);
    CHECK(out.substr(7, 3) == (column > 80 ? "..." : "abc"));
  }
}

TEST_CASE("line numbers of any width keep text and caret in line") {
  std::string text;
  for (int i = 0; i < 12345; ++i) text += "x\n";
  for (int line : {1, 9, 10, 999, 1000, 9999}) {
    const std::string out = shown(text, line, 1, 1);
    INFO(out);
    const size_t first = out.find('\n') + 1, second = out.find('\n', first) + 1;
    CHECK(out[first + 7] == 'x');
    CHECK(out[second + 7] == '^');
  }
}
