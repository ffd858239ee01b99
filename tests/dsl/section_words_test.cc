// A word in place of a section's map (dsl/vocabulary.h).
#include <doctest/doctest.h>

#include "dsl/catalog.h"

namespace {

constexpr dsl::SectionWord kWords[] = {{"layout", "auto", "by_itself"}, {"layout", "none", "empty"}};

/// The tree of a text with overrides, in a language with these words.
dsl::Node loaded(const std::string& text, const std::vector<dsl::Override>& sets = {}) {
  const dsl::Source source{"main.yaml", text, ""};
  dsl::Catalog catalog;
  catalog.builtin.vocabulary.section_words = kWords;
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Node tree = dsl::load(source, sets, {}, catalog, sources, diagnostics);
  CHECK(!diagnostics.has_errors());
  return tree;
}

/// "by_itself=true tp=4" of the section.
std::string layout(const dsl::Node& tree) {
  std::string out;
  const dsl::Node* section = tree.find("layout");
  if (!section || section->kind != dsl::Node::Kind::map) return section ? section->text : "absent";
  for (const dsl::Entry& e : section->entries) out += (out.empty() ? "" : " ") + e.key + "=" + e.value.text;
  return out;
}

}  // namespace

TEST_CASE("a section's word is the map that it stands for") {
  CHECK(layout(loaded("layout: auto\n")) == "by_itself=true");
  CHECK(layout(loaded("layout: none\n")) == "empty=true");
  CHECK(layout(loaded("layout: {tp: 4}\n")) == "tp=4");
}

TEST_CASE("a word of another section, and another word, stay as they are") {
  CHECK(layout(loaded("layout: other\n")) == "other");
  const dsl::Node tree = loaded("cluster: auto\n");
  CHECK(tree.find("cluster")->text == "auto");
}

TEST_CASE("a field that is set beside the word does not take it back") {
  CHECK(layout(loaded("layout: auto\n", {{"layout.tp=4"}})) == "by_itself=true tp=4");
  CHECK(layout(loaded("layout: {tp: 4}\n", {{"layout=auto"}})) == "tp=4 by_itself=true");
  CHECK(layout(loaded("", {{"layout=auto"}, {"layout.tp=8"}})) == "by_itself=true tp=8");
}

TEST_CASE("messages point to the word") {
  const dsl::Node tree = loaded("a: 1\nlayout: auto\n");
  const dsl::Entry& only = tree.find("layout")->entries.at(0);
  CHECK(only.key_span.line == 2);
  CHECK(only.value.span.column == 9);
}
