// A packed tree is the tree that was parsed, with every place.
#include "dsl/packed_tree.h"

#include <doctest/doctest.h>

#include "planner/scenario/vocabulary.h"
#include "tests/dsl/sample.h"

namespace {

bool same_place(const dsl::Span& a, const dsl::Span& b) {
  return a.source == b.source && a.line == b.line && a.column == b.column && a.length == b.length;
}

// Where the trees differ first, or "".
std::string difference(const dsl::Node& a, const dsl::Node& b, const std::string& path) {
  if (a.kind != b.kind || a.text != b.text || a.quoted != b.quoted || a.broken != b.broken || a.comment != b.comment)
    return path + ": value";
  if (!same_place(a.span, b.span)) return path + ": place";
  if (a.items.size() != b.items.size() || a.entries.size() != b.entries.size()) return path + ": size";
  std::string found;
  for (size_t i = 0; i < a.items.size() && found.empty(); ++i)
    found = difference(a.items[i], b.items[i], path + "[" + std::to_string(i) + "]");
  for (size_t i = 0; i < a.entries.size() && found.empty(); ++i) {
    const dsl::Entry &x = a.entries[i], &y = b.entries[i];
    if (x.key != y.key || !same_place(x.key_span, y.key_span)) return path + "." + x.key + ": key";
    found = difference(x.value, y.value, path + "." + x.key);
  }
  return found;
}

dsl::Node parsed(const dsl::Source& source) {
  dsl::Diagnostics diagnostics;
  dsl::Node tree = dsl::parse_yaml(source, diagnostics);
  REQUIRE(diagnostics.list.empty());
  return tree;
}

std::string after_packing(const std::string& text) {
  const dsl::Source source{"a.yaml", text, ""};
  const dsl::Node tree = parsed(source);
  return difference(tree, dsl::unpack_tree(dsl::pack_tree(tree, source), source), "");
}

}  // namespace

TEST_CASE("every kind of value comes back from its bytes") {
  for (const char* text : {
           "",
           "# nothing\n",
           "a\n",
           "a: 1\n",
           "a: null\nb:\nc: ~\n",
           "a: {b: [1, 2, [3, {c: d}]], e: {}}  # all of it\nf: []\n",
           "\n\n  a: 80 GiB   # a datasheet, p. 3\n  b: 7\n",
           "a: 'it''s'\nb: \"x\\ty\\\"z\\u00e9\"  # two escapes\n\"c d\": ''\n",
           "a: &x {b: 1, c: [2, 3]}  # first\nd: *x\ne: *x\n",
           "- 1\n- - 2\n  - 3\n- a: b\n",
           "a: \"0\\0\"\n",
       }) {
    INFO(std::string(text));
    const dsl::Source source{"a.yaml", text, ""};
    dsl::Diagnostics diagnostics;
    dsl::parse_yaml(source, diagnostics);
    if (!diagnostics.list.empty()) continue;  // a byte that no text holds
    CHECK(after_packing(text) == "");
  }
}

TEST_CASE("long texts, lines and lists come back from their bytes") {
  std::string text(300, '\n');
  text += "a: " + std::string(20000, 'x') + "\nb: [0";
  for (int i = 1; i < 1000; ++i) text += ", " + std::to_string(i);
  CHECK(after_packing(text + "]\n") == "");
}

TEST_CASE("the tree of every catalogue file in the binary is that of its text") {
  const std::span<const dsl::BuiltinFile> files = planner::builtin_files();
  const std::span<const std::string_view> trees = planner::builtin_trees();
  REQUIRE(files.size() == trees.size());
  CHECK(files.size() > 200);
  for (size_t i = 0; i < files.size(); ++i) {
    const dsl::Source source{std::string(files[i].name), std::string(files[i].text), ""};
    CHECK(difference(parsed(source), dsl::unpack_tree(trees[i], source), source.name) == "");
    CHECK(trees[i] == dsl::pack_tree(parsed(source), source));
  }
}

TEST_CASE("an entry that comes with its tree is used as one that is parsed") {
  const dsl::BuiltinFile file{"model", "packed", "\nlayers: 7  # a paper\nheads: 9\n"};
  const dsl::Source source{"", std::string(file.text), ""};
  const std::string packed = dsl::pack_tree(parsed(source), source);
  const std::string_view tree = packed;
  const dsl::BuiltinCatalog builtin{{&file, 1}, sample::kVocabulary, {&tree, 1}};
  const dsl::Source main{"a.yaml", "model: {use: packed, heads: 8}\n", ""};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Node read = dsl::load(main, {}, sample::pulls(), {builtin, {}}, sources, diagnostics);
  CHECK(diagnostics.list.empty());
  REQUIRE(read.find("model"));
  const dsl::Node *layers = read.find("model")->find("layers"), *heads = read.find("model")->find("heads");
  REQUIRE((layers && heads));
  CHECK(heads->text == "8");
  CHECK(layers->text == "7");
  CHECK(layers->comment == "a paper");
  CHECK(layers->span.source->name == "catalog:models/packed.yaml");
  CHECK(layers->span.source->text == file.text);
  CHECK((layers->span.line == 2 && layers->span.column == 9 && layers->span.length == 1));
}
