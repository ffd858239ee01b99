// Trees written as YAML are read back the same.
#include "dsl/write.h"

#include <doctest/doctest.h>

#include "tests/dsl/sample.h"

namespace {

std::string again(const std::string& text) {
  const dsl::Source source{"a.yaml", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node tree = dsl::parse_yaml(source, diagnostics);
  REQUIRE(diagnostics.list.empty());
  const dsl::Source written{"b.yaml", dsl::write_yaml(tree), ""};
  const dsl::Node back = dsl::parse_yaml(written, diagnostics);
  CHECK(diagnostics.list.empty());
  CHECK(sample::write(tree) == sample::write(back));
  return written.text;
}

}  // namespace

TEST_CASE("maps are blocks, lists and values stand on their line") {
  CHECK(again("a: 1\nb: {c: [1, 2, {d: 3}], e: ~}\n") == "a: 1\nb:\n  c: [1, 2, {d: 3}]\n  e: null\n");
}

TEST_CASE("comments end their lines, in one column where they can") {
  CHECK(again("a: 1  # one\nlonger_than_the_column_of_comments: 2  # two\n") ==
        "a: 1                      # one\nlonger_than_the_column_of_comments: 2  # two\n");
}

TEST_CASE("items whose fields have comments take a line for each field") {
  CHECK(again("a:\n  - b: 1  # one\n    c: {d: 2}\n  - {e: [3]}\n  - 4\n") ==
        "a:\n  - b: 1                  # one\n    c:\n      d: 2\n  - e: [3]\n  - 4\n");
  CHECK(again("a: [{b: 1}, 2]\n") == "a: [{b: 1}, 2]\n");
}

TEST_CASE("quotes stay only where they are needed") {
  CHECK(dsl::write_yaml([] {
          dsl::Node map;
          map.kind = dsl::Node::Kind::map;
          for (const char* text : {"gpt3-175b", "a b", "true", "1", "", "say \"hi\"", "a\\b", "x: y", "#"}) {
            dsl::Node value;
            value.kind = dsl::Node::Kind::scalar;
            value.quoted = true;
            value.text = text;
            map.entries.push_back({"k" + std::to_string(map.entries.size()), {}, value});
          }
          return map;
        }()) ==
        "k0: gpt3-175b\nk1: \"a b\"\nk2: \"true\"\nk3: \"1\"\nk4: \"\"\nk5: \"say \\\"hi\\\"\"\nk6: \"a\\\\b\"\n"
        "k7: \"x: y\"\nk8: \"#\"\n");
}
