// `techniques` of a scenario: the fields that they set, alone and as a choice.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "planner/plan/violations.h"
#include "planner/scenario/techniques.h"
#include "planner/search/candidate.h"
#include "tests/planner/sample.h"
#include "tests/planner/search/open_sample.h"

using planner::OptimizerOn;
using sample::Sets;

namespace {

const std::string kText = std::string(sample::kGpt) + "techniques: ";
const Sets kUnits{"cluster.gpu.near_memory={use: hbm2-bank-units}"};

OptimizerOn on(const std::string& techniques) {
  return sample::scenario(kText + techniques, kUnits).software.optimizer_on;
}

}  // namespace

TEST_CASE("a technique is its field, by one name or in a list; none changes nothing") {
  CHECK(on("near-memory-optimizer") == OptimizerOn::near_memory);
  CHECK(on("[near-memory-optimizer]") == OptimizerOn::near_memory);
  CHECK(on("[]") == OptimizerOn::gpu);
  CHECK(on("") == OptimizerOn::gpu);
}

TEST_CASE("the table names each field's words once, and the fields' defaults as off") {
  std::set<std::string> names, fields;
  for (const planner::Technique& t : planner::techniques()) {
    CAPTURE(std::string(t.name));
    CHECK(names.insert(t.name).second);
    CHECK(fields.insert(t.field).second);
    const auto& schema = planner::scenario_schema();
    const auto field = std::ranges::find(schema, std::string(t.field), &dsl::Field::path);
    REQUIRE(field != schema.end());
    CHECK(field->otherwise == t.off);
    for (const char* word : {t.value, t.off}) CHECK(std::ranges::find(field->words, word) != field->words.end());
    CHECK(planner::find_technique(t.name) == &t);
    CHECK((std::string(t.source).size() > 0 && std::string(t.summary).size() > 0));
  }
  CHECK(!planner::find_technique("no such"));
}

namespace {

/// What a walk over the space says of each candidate.
template <class Of> auto walk(const std::string& text, const Sets& sets, Of of) {
  const planner::OpenScenario open = sample::opened(text, sets);
  dsl::Cursor cursor(open.space);
  planner::Candidate candidate(open);
  std::vector<decltype(of(open.sample))> seen;
  while (cursor.next()) seen.push_back(of(candidate.at(cursor)));
  return seen;
}

}  // namespace

TEST_CASE("a list of lists is a choice, whose words say which techniques a candidate has") {
  const auto on = [](const planner::Scenario& s) { return s.software.optimizer_on; };
  CHECK(walk(kText + "[[], [near-memory-optimizer]]", kUnits, on) ==
        std::vector{OptimizerOn::gpu, OptimizerOn::near_memory});
}

TEST_CASE("of machines of which one has no units, the other is the answer") {
  const auto rule = [](const planner::Scenario& s) {
    const char* broken = planner::broken_layout_rule(s);
    return std::string(broken ? broken : "");
  };
  CHECK(walk(kText + "near-memory-optimizer", {"cluster.gpu.near_memory={use: hbm2-bank-units, registers: [0, 16]}"},
             rule) == std::vector<std::string>{"technique", ""});
}
