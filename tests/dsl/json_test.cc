// JSON: the values read, their places, and messages about invalid texts.
#include "dsl/json.h"

#include <doctest/doctest.h>

#include <string>

namespace {

// A value of JSON as it was understood: strings in quotes, numbers as they are written.
std::string text_of(const dsl::Node& node) {
  switch (node.kind) {
    case dsl::Node::Kind::null:
      return "null";
    case dsl::Node::Kind::scalar:
      return node.quoted ? "'" + node.text + "'" : node.text;
    case dsl::Node::Kind::list: {
      std::string out = "[";
      for (const dsl::Node& item : node.items) out += text_of(item) + " ";
      return out + "]";
    }
    case dsl::Node::Kind::map:
      break;
  }
  std::string out = "{";
  for (const dsl::Entry& entry : node.entries) out += entry.key + ":" + text_of(entry.value) + " ";
  return out + "}";
}

std::string parsed(const std::string& text) {
  const dsl::Source source{"a.json", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node node = dsl::parse_json(source, diagnostics);
  CHECK(node.broken == diagnostics.has_errors());
  return node.broken ? dsl::render(diagnostics.list.front()) : text_of(node);
}

}  // namespace

TEST_CASE("JSON: values, escapes and places") {
  CHECK(parsed(R"( {"a": [1, -2.5e3, true, null, "x"], "b": {}, "c": []} )") ==
        "{a:[1 -2.5e3 true null 'x' ] b:{} c:[] }");
  CHECK(parsed(R"("a\"\\\/\u0041\u00e4\u20ac\ud83d\tb")") == "'a\"\\/A\u00e4\u20ac? b'");
  const dsl::Source source{"a.json", "{\n  \"a\": [1,\n 22]}", ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node node = dsl::parse_json(source, diagnostics);
  REQUIRE_FALSE(node.broken);
  CHECK(node.entries[0].key_span.line == 2);
  CHECK(node.entries[0].key_span.column == 3);
  CHECK(node.entries[0].key_span.length == 3);
  CHECK(node.entries[0].value.items[1].span.line == 3);
  CHECK(node.entries[0].value.items[1].span.column == 2);
  CHECK(node.entries[0].value.items[1].span.length == 2);
}

TEST_CASE("JSON: what is no JSON") {
  CHECK(parsed(R"({"a": 1)") ==
        R"(a.json:1:8: error: the text ends inside a value
   1 | {"a": 1
     |        ^
)");
  CHECK(parsed(R"({"a" 1})") ==
        R"(a.json:1:6: error: expected ':' after the key
   1 | {"a" 1}
     |      ^
)");
  CHECK(parsed(R"({a: 1})") ==
        R"(a.json:1:2: error: expected a key in double quotes
   1 | {a: 1}
     |  ^
)");
  CHECK(parsed(R"([1 2])") ==
        R"(a.json:1:4: error: expected ',' or ']'
   1 | [1 2]
     |    ^
)");
  CHECK(parsed(R"([1,])") ==
        R"(a.json:1:4: error: expected a value
   1 | [1,]
     |    ^
hint: strings need double quotes, and numbers are finite
)");
  CHECK(parsed(R"({"a": 1, "a": 2})") ==
        R"(a.json:1:10: error: duplicate key 'a'
   1 | {"a": 1, "a": 2}
     |          ^~~
hint: first written in line 1
)");
  CHECK(parsed(R"("ab)") ==
        R"(a.json:1:4: error: the text ends inside a value
   1 | "ab
     |    ^
)");
  CHECK(parsed(R"("a
")") ==
        R"(a.json:1:3: error: the quote is not closed in its line
   1 | "a
     |   ^
)");
  CHECK(parsed(R"("\x")") ==
        R"(a.json:1:2: error: not an escape of JSON
   1 | "\x"
     |  ^
hint: a backslash is written twice
)");
  CHECK(parsed(R"("\u12")") ==
        R"(a.json:1:2: error: not an escape of JSON
   1 | "\u12"
     |  ^
hint: a backslash is written twice
)");
  CHECK(parsed(R"(1 2)") ==
        R"(a.json:1:3: error: more text after the end of the JSON
   1 | 1 2
     |   ^
)");
  CHECK(parsed(R"(one)") ==
        R"(a.json:1:1: error: expected JSON
   1 | one
     | ^
hint: commands of trainplan write JSON with --format json
)");
  CHECK(parsed(R"([NaN, Infinity, -Infinity])") == "[NaN Infinity -Infinity ]");  // of Python; no finite numbers
  CHECK(parsed(R"()") ==
        R"(a.json:1:1: error: the text ends inside a value
   1 | 
     | ^
)");
  CHECK(parsed(std::string(100, '[')).find("a.json:1:65: error: lists and maps nest more than 64 deep") == 0);
}

TEST_CASE("JSON may hold escapes that no field takes, and tabs") {
  const dsl::Source source{
      "a.json",
      "{\n\t\"a\": \"x\\ny\\u0000z\",\n\t\"smile\": \"\\ud83d\\ude00\", \"b\": \"c\\\\n\\/\\u00e9\\\"\",\n"
      "\t\"n\": -1.5e-05, \"none\": null}\n",
      ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node tree = dsl::parse_json(source, diagnostics);
  CHECK(diagnostics.list.empty());
  CHECK(text_of(tree) == "{a:'x y z' smile:'?\?' b:'c\\n/\u00e9\"' n:-1.5e-05 none:null }");
  CHECK(tree.find("n")->span.line == 4);
  CHECK(tree.find("n")->span.column == 7);
}

TEST_CASE("JSON has the limits of any text") {
  const dsl::Source big{"a.json", "{\"a\": [" + std::string(1 << 20, ' ') + "]}", ""};
  dsl::Diagnostics diagnostics;
  CHECK(dsl::parse_json(big, diagnostics).broken);
  REQUIRE(diagnostics.list.size() == 1);
  CHECK(diagnostics.list[0].message == "the text is longer than 1048576 bytes");
  std::string numbers = "{\"a\": [0";
  for (int i = 1; i < 100000; ++i) numbers += ",\n  " + std::to_string(i);
  const dsl::Source list{"b.json", numbers + "]}", ""};
  diagnostics = {};
  CHECK(dsl::parse_json(list, diagnostics).find("a")->items.size() == 100000);
  CHECK(diagnostics.list.empty());
}

TEST_CASE("JSON: the place of a map or a list is its opening bracket") {
  const dsl::Source source{"a.json", "{\"a\": [1, [2]],\n \"b\": {\"c\": 1}}", ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node tree = dsl::parse_json(source, diagnostics);
  CHECK(tree.span.length == 1);
  CHECK(tree.find("a")->span.column == 7);
  CHECK(tree.find("a")->span.length == 1);
  CHECK(tree.find("b")->span.length == 1);
}

TEST_CASE("JSON: the limits are those of the caller") {
  const dsl::Source source{"a.json", "[[1], [2, 3]]", ""};
  const auto message = [&](const dsl::ParseLimits& limits) {
    dsl::Diagnostics diagnostics;
    const dsl::Node tree = dsl::parse_json(source, diagnostics, limits);
    CHECK(tree.broken == diagnostics.has_errors());
    return tree.broken ? diagnostics.list.front().message : "";
  };
  CHECK(message({.depth = 2, .nodes = 6}) == "");
  CHECK(message({.depth = 1}) == "lists and maps nest more than 1 deep");
  CHECK(message({.nodes = 5}) == "the text has more than 5 values");
  CHECK(message({.bytes = 12}) == "the text is longer than 12 bytes");
}

TEST_CASE("JSON that programs write has its limit of values, each line of JSON Lines its own") {
  const size_t most = dsl::kWrittenLimits.nodes;
  const auto parsed = [](const std::string& text) {
    const dsl::Source source{"a.json", text, ""};
    dsl::Diagnostics diagnostics;
    dsl::parse_json(source, diagnostics, dsl::kWrittenLimits);
    return diagnostics.list.empty() ? "" : diagnostics.list[0].message;
  };
  std::string text = "[1";  // the list is a value too
  for (size_t i = 2; i < most; ++i) text += ",1";
  CHECK(parsed(text + "]") == "");
  CHECK(parsed(text + ",1]") == "the text has more than 4000000 values");
  const dsl::Source lines{"a.jsonl", "[1, 2]\n[3, 4]\n", ""};
  dsl::Diagnostics diagnostics;
  dsl::JsonText in_lines(lines, diagnostics, {.nodes = 3}, false, dsl::JsonText::Ends::in_line);
  while (!in_lines.at_end() && !in_lines.next().broken) continue;
  CHECK(diagnostics.list.empty());
}
