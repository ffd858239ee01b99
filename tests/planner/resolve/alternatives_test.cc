// `use` as a list: a choice between entries of the catalogue.
#include "planner/resolve/alternatives.h"

#include <doctest/doctest.h>

#include "tests/planner/texts.h"

using planner::UsedEntries;

namespace {

/// The names of the alternatives, or their mistakes.
std::vector<std::string> names(const std::string& text, const std::vector<dsl::Override>& sets = {}) {
  sample::Texts texts(text, sets);
  std::vector<std::string> out;
  for (const UsedEntries& a : planner::alternatives_of(texts.text(), texts.diagnostics)) out.push_back(a.name);
  if (texts.diagnostics.has_errors()) return {texts.told()};
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("without a list there is one alternative, and it uses nothing") {
  CHECK(names("cluster: {use: dgx-h100}\n") == Names{""});
  CHECK(names("job: {sequence: 1}\n") == Names{""});
  sample::Texts texts("cluster: {use: dgx-h100}\n", {});
  const auto all = planner::alternatives_of(texts.text(), texts.diagnostics);
  REQUIRE(all.size() == 1);
  CHECK(all[0].uses.empty());
  CHECK(planner::overrides_of(texts.text(), all[0]).empty());
}

TEST_CASE("lists multiply: sections in their order, the last changes fastest") {
  CHECK(names("cluster: {use: [a, b]}\n") == Names{"a", "b"});
  CHECK(names("software: {use: [s, t]}\nmodel: {use: [m, n]}\n") == Names{"m, s", "m, t", "n, s", "n, t"});
  CHECK(names("cluster: {use: x, gpu: {use: [g, h]}}\n") == Names{"g", "h"});
  CHECK(names("cluster: {use: x}\n", {{"cluster.use=[a, b, c]"}}) == Names{"a", "b", "c"});
}

TEST_CASE("an alternative is overrides at the places of its names, behind those of the text") {
  sample::Texts texts("cluster:\n  use: [dgx-h100, dgx-b200]\n  gpus: 8\n", {{"job.sequence=4096"}});
  const auto all = planner::alternatives_of(texts.text(), texts.diagnostics);
  REQUIRE(all.size() == 2);
  const std::vector<dsl::Override> second = planner::overrides_of(texts.text(), all[1]);
  REQUIRE(second.size() == 2);
  CHECK(second[0].text == "job.sequence=4096");
  CHECK(second[1].text == "cluster.use=dgx-b200");
  CHECK(second[1].place.line == 2);
  CHECK(second[1].place.column == 19);
}

TEST_CASE("lists of anything but names, and empty ones, are mistakes with a place") {
  struct Row {
    const char *text, *told;
  };
  for (const Row& row : {Row{"cluster: {use: []}\n", ":1:16: error: the list of cluster.use is empty"},
                         Row{"cluster: {use: [a, [b]]}\n", ":1:20: error: expected the name of an entry or a file"},
                         Row{"model: {use: [{a: 1}]}\n", ":1:15: error: expected the name of an entry or a file"}}) {
    const Names told = names(row.text);
    REQUIRE(told.size() == 1);
    CHECK_MESSAGE(told[0].find(row.told) != std::string::npos, told[0]);
  }
}

TEST_CASE("an entry is listed once") {
  const Names told = names("cluster: {use: [a, b, a]}\n");
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("ask.yaml:1:23: error: 'a' is twice in the list of cluster.use") == 0);
}
