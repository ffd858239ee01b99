// Checks docs/language.md: its units, functions, values and messages are true.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "dsl/functions.h"
#include "dsl/units.h"
#include "tests/dsl/sample.h"

namespace {

std::string read(const std::string& path) {
  std::ifstream in(std::string(TRAINPLAN_SOURCE_DIR) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::string& page() {
  static const std::string text = read("docs/language.md");
  return text;
}

std::string value_of(const std::string& text) {
  dsl::Diagnostics d;
  const dsl::ExprPtr tree = dsl::parse_expression(text, {}, d);
  if (!tree) return "error: " + d.list[0].message;
  const auto value = dsl::evaluate(
      *tree, [](const std::string&, dsl::Span) { return std::nullopt; }, d);
  return value ? dsl::to_text(*value) : "error: " + d.list[0].message;
}

}  // namespace

TEST_CASE("the page lists every unit") {
  for (const dsl::KnownUnit& unit : dsl::units()) {
    INFO(std::string(unit.name));
    CHECK(page().find("`" + std::string(unit.name) + "`") != std::string::npos);
  }
}

TEST_CASE("the page lists every function with the words of its row") {
  for (const dsl::Function& f : dsl::functions()) {
    INFO(std::string(f.name));
    CHECK(page().find("| `" + std::string(f.name) + "` | " + std::string(f.doc) + " |\n") != std::string::npos);
  }
}

TEST_CASE("the page's expressions have the values that it shows") {
  const std::string table = page().substr(page().find("| expression | value |"));
  const std::string rows = table.substr(0, table.find("\n\n"));
  const std::regex row("\\| `([^`]+)` \\| `([^`]+)` \\|");
  int count = 0;
  for (std::sregex_iterator it(rows.begin(), rows.end(), row), end; it != end; ++it, ++count) {
    INFO((*it)[1].str());
    CHECK(value_of((*it)[1]) == (*it)[2].str());
  }
  CHECK(count >= 10);
}

TEST_CASE("the page's messages are those of the files of bad input") {
  const std::regex block("```text\n(([a-z-]+)\\.yaml:[^`]*)```");
  int count = 0;
  for (std::sregex_iterator it(page().begin(), page().end(), block), end; it != end; ++it, ++count) {
    INFO((*it)[2].str());
    CHECK((*it)[1].str() == read("tests/errors/" + (*it)[2].str() + ".expected"));
  }
  CHECK(count >= 3);
}
