// A text that is read again is parsed once, and says the same of its own place.
#include "dsl/read_builtin.h"

#include <doctest/doctest.h>

using dsl::Diagnostics;
using dsl::Node;
using dsl::Source;

TEST_CASE("a text that is read again has the same tree and the same messages") {
  const Source source{"a.yaml", "a: 1\na: 2\nb: [3, 4]\n", ""};
  Diagnostics first, second;
  const Node once = dsl::tree_of(source, first), again = dsl::tree_of(source, second);
  REQUIRE(first.list.size() == 1);
  REQUIRE(second.list.size() == 1);
  CHECK(second.list[0].message == first.list[0].message);
  CHECK(second.list[0].span.source == &source);
  REQUIRE(again.entries.size() == once.entries.size());
  CHECK(again.find("b")->items[1].text == "4");
  CHECK(again.find("b")->items[1].span.column == once.find("b")->items[1].span.column);
}

TEST_CASE("another text in the place of the last is read, and the same text elsewhere has places of its own") {
  Diagnostics none;
  Source source{"a.yaml", "a: 1\n", ""};
  CHECK(dsl::tree_of(source, none).find("a")->text == "1");
  source.text = "a: 2\n";
  CHECK(dsl::tree_of(source, none).find("a")->text == "2");
  const Source other{"b.yaml", source.text, ""};
  CHECK(dsl::tree_of(other, none).find("a")->span.source == &other);
  CHECK(dsl::tree_of(source, none).find("a")->span.source == &source);
  CHECK(none.list.empty());
}
