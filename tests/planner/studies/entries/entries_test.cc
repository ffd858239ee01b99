// A search over entries of the catalogue, against the searches of each.
#include "planner/studies/entries/entries.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <span>

#include "planner/plan/plan.h"
#include "tests/planner/texts.h"

using planner::EntrySearch;
using planner::EntrySpaces;
using planner::Found;

namespace {

const std::string kText =
    "model: {use: [llama3-8b, mixtral-8x7b]}\njob: {sequence: 4096, global_batch: 128, tokens: 1e11}\n"
    "cluster: {use: [dgx-h100, dgx-a100-80gb], gpus: 32}\ngoal: {minimize: usd}\n";

struct Entries {
  explicit Entries(const std::string& text, const std::vector<dsl::Override>& sets = {}) : texts(text, sets) {
    const auto alternatives = planner::alternatives_of(texts.text(), texts.diagnostics);
    spaces = planner::open_entries(texts.text(), alternatives, texts.diagnostics);
  }
  EntrySearch found(planner::SearchOptions options = {}) const { return planner::search(*spaces, options); }
  sample::Texts texts;
  std::optional<EntrySpaces> spaces;
};

}  // namespace

TEST_CASE("the choices are the entries, then those of all spaces, each once") {
  const Entries entries(kText);
  REQUIRE_MESSAGE(entries.spaces, entries.texts.told());
  REQUIRE(entries.spaces->spaces.size() == 4);
  const std::vector<std::string>& choices = entries.spaces->choices;
  CHECK(choices[0] == "model.use");
  CHECK(choices[1] == "cluster.use");
  CHECK(std::set<std::string>(choices.begin(), choices.end()).size() == choices.size());
  CHECK(std::ranges::count(choices, "parallelism.ep") == 1);
  CHECK(std::ranges::count(entries.spaces->opened, "parallelism.tp") == 1);
}

TEST_CASE("plans and fronts are those of each, whatever the threads; positions say whose") {
  const Entries entries(kText);
  const planner::SearchOptions options{
      .top = 50, .pareto = {planner::find_result("days"), planner::find_result("usd")}, .threads = 2};
  const EntrySearch found = entries.found(options);
  std::vector<double> objectives;
  int64_t candidates = 0;
  for (const planner::SearchResult& one : found.of_each) {
    candidates += one.candidates;
    for (const Found& plan : one.plans) objectives.push_back(plan.objective);
  }
  std::ranges::sort(objectives);
  objectives.resize(50);
  REQUIRE(found.all.plans.size() == 50);
  CHECK(found.all.candidates == candidates);
  for (size_t i = 0; i < objectives.size(); ++i) CHECK(found.all.plans[i].objective == objectives[i]);
  for (const Found& plan : found.all.plans) {
    const planner::EntrySpace& space = planner::space_of(*entries.spaces, plan.position);
    CHECK(space.entries.uses[0].text == "model.use=" + std::get<std::string>(plan.choices[0].v));
    CHECK(space.entries.uses[1].text == "cluster.use=" + std::get<std::string>(plan.choices[1].v));
  }
  // No plan of the front is beaten on both axes by a plan of any space.
  for (const Found& on : found.all.pareto)
    for (const planner::SearchResult& one : found.of_each)
      for (const Found& by : one.pareto)
        CHECK_FALSE((by.results.days < on.results.days && by.results.usd < on.results.usd));
  const EntrySearch alone = entries.found({.top = 50, .pareto = options.pareto, .threads = 1});
  for (size_t i = 0; i < 50; ++i) CHECK(alone.all.plans[i].choices == found.all.plans[i].choices);
}

TEST_CASE("a candidate is read again with its entries") {
  Entries entries(kText);
  const EntrySearch found = entries.found({.top = 40, .pareto = {}});
  const planner::Reread reread = planner::reread(entries.texts.text(), *entries.spaces);
  for (size_t i = 0; i < found.all.plans.size(); i += 13) {
    const Found& plan = found.all.plans[i];
    planner::Sets sets;
    for (size_t c = 0; c < plan.choices.size(); ++c)
      if (!plan.choices[c].is_null()) sets.emplace_back(entries.spaces->choices[c], dsl::to_text(plan.choices[c]));
    const auto loaded = reread(sets);
    REQUIRE(loaded);
    CHECK(planner::make_plan(loaded->scenario).step->seconds == plan.results.step.seconds);
  }
  CHECK_FALSE(reread({{"model.use", "llama3-8b"}, {"cluster.use", "dgx-b200"}}));
}

TEST_CASE("a search that is stopped keeps what it has, and what is wrong is told once") {
  const Entries entries(kText);
  const std::atomic<bool> stop = true;
  const EntrySearch found = entries.found({.top = 5, .pareto = {}, .stop = &stop});
  CHECK(found.all.stopped);
  CHECK(found.of_each.size() == 1);
  Entries wrong(kText, {{"parallelism.tp=none"}});
  CHECK_FALSE(wrong.spaces);
  CHECK(wrong.texts.diagnostics.list.size() == 1);
  // What some have not is their mistake alone.
  Entries some(kText, {{"cluster.use=[dgx-h100, dgx-h1OO]"}});
  CHECK_FALSE(some.spaces);
  CHECK(some.texts.diagnostics.list.size() == 1);
}

TEST_CASE("scaling_efficiency stays relative to the fewest GPUs of its own entry") {
  const Entries entries(
      "model: {use: llama3-8b}\njob: {sequence: 4096, global_batch: 128, tokens: 1e11}\n"
      "cluster: {use: [dgx-h100, dgx-a100-80gb], gpus: [16, 32]}\ngoal: {minimize: gpus}\n");
  const EntrySearch found = entries.found({.top = 400, .pareto = {}});
  double most = 0;
  for (const Found& plan : found.all.plans) {
    const auto& own = found.of_each[plan.position.at.front()].plans;
    const auto same = std::ranges::find_if(own, [&](const Found& one) {
      return std::ranges::equal(one.position.at, std::span(plan.position.at).subspan(1));
    });
    REQUIRE(same != own.end());
    CHECK(plan.results.scaling_efficiency == same->results.scaling_efficiency);
    most = std::max(most, plan.results.scaling_efficiency);
  }
  CHECK(most == doctest::Approx(1).epsilon(0.1));
}
