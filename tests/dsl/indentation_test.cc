// Mistakes in lines that a YAML parser reports too late.
#include "dsl/indentation.h"

#include <doctest/doctest.h>

namespace {

struct Row {
  const char* text;
  int line;  // where the parser stopped
  size_t at;
  const char *message, *hint;
};
constexpr const char* kAskew = "'pp' is not as far from the left as the keys above it";
constexpr Row kRows[] = {
    {"a:\n\ttp: 1\n", 2, 3, "a tab in the indentation", "write blanks in its place: '  '"},
    {"a:\n  tp: 1\n\tpp: 2\n", 3, 11, "a tab in the indentation", "write blanks in its place: '  '"},
    {"a:\n  tp: 1\n  \tpp: 2\n", 3, 13, "a tab in the indentation", "write nothing in its place: ''"},
    {"a:  # comment\n\ttp: 1\n", 2, 14, "a tab in the indentation", "write blanks in its place: '  '"},
    {"tp = 4\n", 1, 0, "expected ':' behind 'tp', got '='", "write 'tp: 4'"},
    {"tp = 4\npp: 2\n", 2, 0, "expected ':' behind 'tp', got '='", "write 'tp: 4'"},
    {"tp: 4\n\n  # more\npp = 2\n", 4, 16, "expected ':' behind 'pp', got '='", "write 'pp: 2'"},
    {"a:\n  tp: 1\n    pp: 2\n", 3, 11, kAskew, "write '  pp'"},
    {"a:\n  tp: 1\n pp: 2\n", 3, 11, kAskew, "write '  pp'"},
    {"tp: 1\n  pp: 2\n", 2, 6, kAskew, "write 'pp'"},
    {"a:\n  b:\n    tp: 1\n   pp: 2\n", 4, 18, kAskew, "write '    pp'"},
};

size_t offset_of_line(std::string_view text, int line) {
  size_t at = 0;
  for (int i = 1; i < line; ++i) at = text.find('\n', at) + 1;
  return at;
}

}  // namespace

TEST_CASE("a tab, '=' for ':' and a key out of line are told where they stand") {
  for (const Row& row : kRows) {
    INFO(std::string(row.text));
    const auto mistake = dsl::find_line_mistake(row.text, offset_of_line(row.text, row.line));
    REQUIRE(mistake);
    CHECK(mistake->at == row.at);
    CHECK(mistake->message == row.message);
    CHECK(mistake->hint == row.hint);
  }
}

TEST_CASE("lines in order are not blamed for a mistake of another kind") {
  const struct {
    const char* text;
    int line;
  } rows[] = {
      {"a:\n  tp: 1\nb: 2\n", 3},    {"a: \n  tp: if: x\n", 2},
      {"a:\n    tp: 1\n", 2},        {"a:\n  b:\n    tp: 1\n  pp: 2\n", 4},
      {"- name: x\n  size: 8\n", 2}, {"where:\n  - tp == 4\n", 2},
      {"a: [1,\n  2]\n", 2},         {"", 1},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.text));
    CHECK(!dsl::find_line_mistake(row.text, offset_of_line(row.text, row.line)));
  }
}
