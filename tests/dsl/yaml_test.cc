// YAML text -> tree with places. The traps of yaml-cpp 0.7 have files in tests/errors/ as well.
#include <doctest/doctest.h>

#include "dsl/node.h"
#include "dsl/raw_text.h"

using dsl::Node;

namespace {

struct Parsed {
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  Node tree;
  explicit Parsed(std::string text, const dsl::ParseLimits& limits = {}) : source{"a.yaml", std::move(text), ""} {
    tree = dsl::parse_yaml(source, diagnostics, limits);
  }
  Parsed(const Parsed&) = delete;
};

// "a: {b: [1, "2", ~]}" with quotes where the scalar was quoted.
std::string shape(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Node::Kind::null:
      return "~";
    case Node::Kind::scalar:
      return node.quoted ? "'" + node.text + "'" : node.text;
    case Node::Kind::list:
      for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + shape(item);
      return "[" + out + "]";
    case Node::Kind::map:
      for (const dsl::Entry& e : node.entries) out += (out.empty() ? "" : ", ") + e.key + ": " + shape(e.value);
      return "{" + out + "}";
  }
  return out;
}

std::string shape_of(const std::string& text) {
  Parsed p(text);
  return p.diagnostics.has_errors() ? "error: " + p.diagnostics.list[0].message : shape(p.tree);
}

// What the span covers in the raw text.
std::string covered(const dsl::Span& span) {
  const size_t at = dsl::offset_of(span);
  return at == std::string::npos ? "" : span.source->text.substr(at, static_cast<size_t>(span.length));
}

std::string first_error(const std::string& text, const dsl::ParseLimits& limits = {}) {
  Parsed p(text, limits);
  return p.diagnostics.list.empty() ? "" : p.diagnostics.list[0].message;
}

}  // namespace

TEST_CASE("scalars stay text, whatever YAML 1.1 would make of them") {
  CHECK(shape_of("a: 010\nb: 1e3\nc: yes\nd: 0x1F\ne: 12:30\nf: 2026-01-02\n") ==
        "{a: 010, b: 1e3, c: yes, d: 0x1F, e: 12:30, f: 2026-01-02}");
  CHECK(shape_of("a: 'it''s'\nb: \"x\\x01y\"\nc: \"\"\n") == "error: the string holds a control byte");
  CHECK(shape_of("a: 'it''s'\nb: \"x\\x41y\"\nc: \"\"\n") == "{a: 'it's', b: 'xAy', c: ''}");
}

TEST_CASE("lists, maps and nulls in both styles") {
  CHECK(shape_of("a:\n  - 1\n  - b: 2\n    c: 3\n  -\nd: {e: [1, [2]], f: }\ng:\n") ==
        "{a: [1, {b: 2, c: 3}, ~], d: {e: [1, [2]], f: ~}, g: ~}");
  CHECK(shape_of("a: ~\nb: null\nc: 'null'\n") == "{a: ~, b: ~, c: 'null'}");
  CHECK(shape_of("{\"a\":1,\"b\":[true,\"x\"]}") == "{a: 1, b: [true, 'x']}");  // JSON
  CHECK(shape_of("") == "~");
  CHECK(shape_of("# nothing\n") == "~");
  CHECK(shape_of("---\na: 1\n...\n") == "{a: 1}");
  CHECK(shape_of("a: 1\r\nb: 2\r\n") == "{a: 1, b: 2}");
}

TEST_CASE("every scalar knows the bytes it covers, through quotes, anchors and glyphs") {
  Parsed p("a: 12 GB  # \xC2\xB5\nb: [x, \"y \\\"z\\\"\", 'it''s']\nc: &name 7\n\"d e\": {f: -1}\n");
  REQUIRE(!p.diagnostics.has_errors());
  CHECK(covered(p.tree.find("a")->span) == "12 GB");
  const Node& list = *p.tree.find("b");
  CHECK(covered(list.span) == "[x, \"y \\\"z\\\"\", 'it''s']");
  CHECK(covered(list.items[0].span) == "x");
  CHECK(covered(list.items[1].span) == "\"y \\\"z\\\"\"");
  CHECK(covered(list.items[2].span) == "'it''s'");
  CHECK(covered(p.tree.find("c")->span) == "7");
  CHECK(covered(p.tree.entries[3].key_span) == "\"d e\"");
  CHECK(covered(p.tree.find("d e")->span) == "{f: -1}");
  CHECK(p.tree.find("d e")->find("f")->span.line == 4);
  CHECK(p.tree.find("d e")->find("f")->span.column == 12);
}

TEST_CASE("columns count raw bytes after a glyph of several") {
  Parsed p("a: {\"\xC3\xA9\": 1, b: 2}\n");
  CHECK(p.tree.find("a")->find("b")->span.column == 17);
  CHECK(covered(p.tree.find("a")->find("b")->span) == "2");
}

TEST_CASE("a null stands at its key, an explicit one at itself") {
  Parsed p("a:\nb: ~\nc:\n  -\n  - null\nnullable: 3\n");
  CHECK(covered(p.tree.find("a")->span) == "a");
  CHECK(covered(p.tree.find("b")->span) == "~");
  CHECK(p.tree.find("c")->items[0].span.line == 4);
  CHECK(covered(p.tree.find("c")->items[1].span) == "null");
}

TEST_CASE("the comment that ends a line belongs to its scalars") {
  Parsed p("a: 1  # one\nb: {c: 2, d: 'x # y'}   #  two, three  \ne: \"# no\"\nf: 4#5\n# alone\ng: 6\n");
  CHECK(p.tree.find("a")->comment == "one");
  CHECK(p.tree.find("b")->find("c")->comment == "two, three");
  CHECK(p.tree.find("b")->find("d")->comment == "two, three");
  CHECK(p.tree.find("e")->comment == "");
  CHECK(p.tree.find("f")->text == "4#5");
  CHECK(p.tree.find("g")->comment == "");
}

TEST_CASE("aliases are expanded and stand where they are written") {
  Parsed p("a: &x {b: 1}\nc: *x\nd: [*x, *x]\n");
  CHECK(shape(p.tree) == "{a: {b: 1}, c: {b: 1}, d: [{b: 1}, {b: 1}]}");
  CHECK(covered(p.tree.find("c")->span) == "*x");
  CHECK(p.tree.find("c")->span.line == 2);
  CHECK(p.tree.find("d")->items[1].span.column == 9);
}

TEST_CASE("what yaml-cpp accepts and the language does not is refused") {
  const struct {
    const char *text, *message;
  } rows[] = {{"a: 1\na: 2\n", "duplicate key 'a'"},
              {"a: {b: 1, c: 2, b: 3}\n", "duplicate key 'b'"},
              {"a: &x {b: 1}\nc:\n  <<: *x\n", "merge keys ('<<') are not part of the language"},
              {"a: &a [1, *a]\n", "the alias refers to the value that it is part of"},
              {"&a a: {b: &b {c: *b}}\n", "the alias refers to the value that it is part of"},
              {"a: 1\n---\nb: 2\n", "more than one document"},
              {"a: 1\n---\n", "more than one document"},
              {"- a\nb: 1\n", "more than one document"},
              {"a: \"b\n", "the quote is never closed"},
              {"a: 'b\nc: 1\n", "the quote is never closed"},
              {"a: !!str 1\n", "tags are not part of the language"},
              {"a: !x 1\n", "tags are not part of the language"},
              {"a: ! 1\n", "tags are not part of the language"},
              {"a: &b !x 1\n", "tags are not part of the language"},
              {"a: !x [1]\n", "tags are not part of the language"},
              {"a: caf\xC3\xA9\n", "letters outside ASCII stand in comments and quoted strings only"},
              {"caf\xC3\xA9: 1\n", "letters outside ASCII stand in comments and quoted strings only"},
              {"a: 1 # caf\xE9\n", "the text is not valid UTF-8 here"},
              {"a: \"\xED\xA0\x80\"\n", "the text is not valid UTF-8 here"},
              {"a: \"\xC0\xAF\"\n", "the text is not valid UTF-8 here"},
              {"a: \x01\n", "a control byte is not allowed here"},
              {"a: 1\rb: 2\n", "a control byte is not allowed here"},
              {"\xEF\xBB\xBF"
               "a: 1\n",
               "the text begins with a byte order mark"},
              {"a: 1\n  + 2\n", "a value stands on one line"},
              {"a: \"1\n  + 2\"\n", "a value stands on one line"},
              {"a: >\n  1\n  2\n", "a value stands on one line"},
              {"? [a, b]\n: 1\n", "a key is a plain word, not a list, a map or nothing"},
              {"~: 1\n", "a key is a plain word, not a list, a map or nothing"},
              {"a: *b\n", "no such anchor before this alias"},
              {"a: [1, 2\n", "missing ']'"},
              {"a: {b: 1\n", "missing '}'"},
              {"a: ]\n", "unexpected closing bracket"},
              {"a: @b\n", "no value can begin like this"},
              {"a: b: c\n", "unexpected ':' here"},
              {"a:\n\tb: 1\n", "a tab in the indentation"},
              {"a:\n  b: 1\n c: 2\n", "'c' is not as far from the left as the keys above it"}};
  for (const auto& row : rows) {
    INFO(std::string(row.text));
    CHECK(first_error(row.text) == std::string(row.message));
  }
  CHECK(first_error(std::string("a: 1\0\n", 6)) == "a control byte is not allowed here");
  CHECK(first_error("a: \"caf\xC3\xA9\"  # \xC3\xA9t\xC3\xA9\n") == "");
}

TEST_CASE("every limit has its own message") {
  CHECK(first_error(std::string(2000, '#'), {.bytes = 1000}) == "the text is longer than 1000 bytes");
  CHECK(first_error(std::string((1 << 20) + 1, ' ')) == "the text is longer than 1048576 bytes");
  CHECK(first_error(std::string((1 << 20), ' ')) == "");
  CHECK(first_error("a: " + std::string(64, '[') + std::string(64, ']')) == "lists and maps nest more than 64 deep");
  CHECK(first_error("a: " + std::string(63, '[') + std::string(63, ']')) == "");
  CHECK(first_error(std::string(100000, '[')) == "lists and maps nest more than 64 deep");
  CHECK(first_error("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", {.nodes = 10}) == "the text has more than 10 values");
}

TEST_CASE("aliases are counted by what they expand to, in values and in bytes") {
  std::string laughs = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below;
    for (int k = 0; k < 9; ++k) laughs += ", " + below;
    laughs += "]\n";
  }
  CHECK(first_error(laughs) == "the text has more than 1000000 values");
  std::string heavy = "a: &a \"" + std::string(500000, 'x') + "\"\nb: [*a";
  for (int i = 0; i < 5000; ++i) heavy += ", *a";
  CHECK(first_error(heavy + "]\n") == "the text has more than 1000000 values");
}

TEST_CASE("after a mistake the tree holds what could be read") {
  Parsed duplicate("a: 1\na: 2\nb: 3\n");
  CHECK(shape(duplicate.tree) == "{a: 1, b: 3}");
  CHECK(!duplicate.tree.broken);
  Parsed stopped("a: 1\nb: [1, 2\n");
  CHECK(stopped.tree.broken);
  CHECK(stopped.tree.find("a")->text == "1");
}

TEST_CASE("a part of a line is read with the columns of the whole") {
  const dsl::Source source{"--set", "parallelism.tp=[4, 8]", ""};
  dsl::Diagnostics d;
  const Node node = dsl::parse_yaml_from(source, 15, d);
  REQUIRE(node.items.size() == 2);
  CHECK(node.items[1].span.column == 20);
}

TEST_CASE("very many keys, equal or not, are read in no time") {
  std::string different, equal;
  for (int i = 0; i < 9999; ++i) {
    different += "k" + std::to_string(i) + ": 1\n";
    equal += "k: 1\n";
  }
  CHECK(first_error(different) == "");
  Parsed p(equal);
  CHECK(p.tree.entries.size() == 1);
  CHECK(p.diagnostics.list.size() == 101);  // the rest is not shown
}

TEST_CASE("a map of more keys than merging can bear is refused") {
  std::string text;
  for (int i = 0; i <= 10000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  CHECK(first_error(text) == "a map has more than 10000 keys");
}

TEST_CASE("very many values in one line are read in no time") {
  std::string flat = "[", nested = "[";
  for (int i = 0; i < 100'000; ++i) flat += "a, ", nested += "[b], ";
  Parsed one(flat + "c]  # end"), lists(nested + "c]  # end");
  REQUIRE(one.diagnostics.list.empty());
  REQUIRE(lists.diagnostics.list.empty());
  CHECK(one.tree.items.size() == 100'001);
  CHECK(one.tree.items.front().comment == "end");
  CHECK(lists.tree.items.back().comment == "end");
}
