// A scenario with its layout opened: read at once, or from what a first reading gave.
#include "planner/resolve/with_layout.h"

#include <doctest/doctest.h>

#include "dsl/write.h"
#include "planner/search/search.h"
#include "tests/planner/texts.h"

using planner::Opens;
using planner::WithLayout;

namespace {

std::string question(const std::string& layout, const std::string& gpus = "16") {
  return "model: {use: llama3-8b}\njob: {sequence: 4096, global_batch: 64, tokens: 1e11}\ncluster: {use: dgx-h100, "
         "gpus: " +
         gpus + "}\nsoftware: {use: megatron-core}\n" + layout;
}

/// The text read once with its choices open, and then with its layout.
std::optional<WithLayout> read_twice(sample::Texts& texts, Opens opens) {
  const planner::ScenarioText text = texts.text();
  auto open = planner::read_open_scenario(text.source, text.overrides, text.catalog, text.sources, texts.diagnostics);
  if (!open || texts.diagnostics.has_errors()) return std::nullopt;
  return planner::read_with_layout(*std::move(open), text, opens, texts.diagnostics);
}

/// What a space is, as text: each choice with its values.
std::string choices(const WithLayout& read) {
  std::string text;
  for (const dsl::OpenItem& item : read.scenario.space.items()) {
    text += item.path + ":";
    for (const dsl::Value& value : item.values) text += " " + dsl::write_value(value);
    text += "\n";
  }
  return text;
}

const char* const kLayouts[] = {
    "",
    "parallelism: {auto: true}\n",
    "parallelism: {tp: 4, pp: 1, recompute: full, zero: 1}\n",
    "parallelism: {tp: [2, 4], recompute: full, zero: 1}\n",
    "parallelism: {auto: true, tp: 2, recompute: full}\n",
};

}  // namespace

TEST_CASE("a layout is the same whether the text was read before or not") {
  for (const char* layout : kLayouts)
    for (const Opens opens : {Opens::said, Opens::unwritten, Opens::written}) {
      CAPTURE(layout);
      CAPTURE(static_cast<int>(opens));
      sample::Texts once(question(layout), {}), twice(question(layout), {});
      const auto a = planner::read_with_layout(once.text(), opens, once.diagnostics);
      const auto b = read_twice(twice, opens);
      REQUIRE(a.has_value() == b.has_value());
      if (!a) continue;
      CHECK(choices(*a) == choices(*b));
      CHECK(a->sets == b->sets);
      CHECK(a->opened == b->opened);
      REQUIRE(a->overrides.size() == b->overrides.size());
      for (size_t i = 0; i < a->overrides.size(); ++i) CHECK(a->overrides[i].text == b->overrides[i].text);
    }
}

TEST_CASE("what the policy opens is a set of its own, and the search over it is the same") {
  sample::Texts once(question(""), {}), twice(question(""), {});
  const auto a = planner::read_with_layout(once.text(), Opens::unwritten, once.diagnostics);
  const auto b = read_twice(twice, Opens::unwritten);
  REQUIRE(a.has_value());
  REQUIRE(b.has_value());
  CHECK(!a->opened.empty());
  CHECK(a->sets.size() == a->opened.size() + 1);  // and that the layout is said
  const planner::SearchResult from_a = planner::search(a->scenario, {.top = 1, .pareto = {}});
  const planner::SearchResult from_b = planner::search(b->scenario, {.top = 1, .pareto = {}});
  REQUIRE(!from_a.plans.empty());
  REQUIRE(!from_b.plans.empty());
  CHECK(from_a.evaluated == from_b.evaluated);
  CHECK(from_a.plans.front().results.step.seconds == from_b.plans.front().results.step.seconds);
}

TEST_CASE("a written layout opens nothing, and its overrides are those of the text") {
  sample::Texts texts(question(kLayouts[2]), {});
  const auto read = read_twice(texts, Opens::said);
  REQUIRE_MESSAGE(read.has_value(), texts.told());
  CHECK(read->sets.empty());
  CHECK(read->opened.empty());
  CHECK(read->overrides.empty());
}

TEST_CASE("a text with a mistake has no layout, and the mistake is reported once") {
  for (const char* wrong : {"parallelism: {tp: -1}\n", "parallelism: {tq: 2}\n", "parallelism: {auto: maybe}\n"}) {
    CAPTURE(wrong);
    sample::Texts texts(question(wrong), {});
    CHECK(!planner::read_with_layout(texts.text(), Opens::unwritten, texts.diagnostics));
    REQUIRE(texts.diagnostics.has_errors());
    CHECK(texts.diagnostics.list.size() == 1);
  }
}
