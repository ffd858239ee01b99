// `trainplan explain`: every field and figure, by path, last part and item; unknown names.
#include <doctest/doctest.h>

#include <algorithm>

#include "planner/plan/results.h"
#include "planner/scenario/scenario.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

namespace {

Json explained(const std::string& name) {
  const Ran r = ran({"explain", name, "--format", "json"});
  REQUIRE_MESSAGE(r.status == 0, name << ": " << r.err);
  return Json::parse(r.out);
}

bool has(const Json& list, const std::string& item) { return std::find(list.begin(), list.end(), item) != list.end(); }

}  // namespace

TEST_CASE("every field of a scenario is explained as `list scenario-field` lists it") {
  const Json listed = Json::parse(ran({"list", "scenario-field", "--format", "json"}).out).at("entries");
  REQUIRE(listed.size() == planner::scenario_schema().size());
  for (size_t i = 0; i < listed.size(); ++i) {
    const Json page = explained(listed[i].at("path"));
    CHECK(page.at("kind") == "field");
    for (const auto& member : listed[i].items()) CHECK_MESSAGE(page.at(member.key()) == member.value(), member.key());
  }
}

TEST_CASE("a field says who writes it, who reads it, and what programs call it") {
  const Json tp = explained("parallelism.tp");
  CHECK(has(tp.at("read_by"), "parallelism.dp"));
  CHECK(has(tp.at("exported_as"), "megatron --tensor-model-parallel-size"));
  const auto is_gpt = [](const Json& e) { return e.at("file") == "example:gpt3-175b"; };
  const Json& examples = tp.at("examples");
  const auto gpt = std::find_if(examples.begin(), examples.end(), is_gpt);
  REQUIRE(gpt != examples.end());
  CHECK(gpt->at("value") == "8");
  CHECK(has(explained("software.overlap.gradients").at("set_by"), "software/deepspeed"));
  CHECK(explained("cluster.network[2].bandwidth").at("path") == "cluster.network[].bandwidth");
  CHECK(explained("tp").at("path") == "parallelism.tp");
}

TEST_CASE("every figure of a plan is explained by its name and by its column") {
  for (const planner::ResultRow& row : planner::result_figures()) {
    if (!row.about.column) continue;
    const Json page = explained(row.about.column);
    if (page.at("kind") == "figure") CHECK(page.at("summary") == row.about.doc);
  }
  CHECK(explained("mfu").at("kind") == "figure");
}

TEST_CASE("explain refuses a name that no field has, or several, and says which it may be") {
  struct Row {
    const char *said, *message, *hint;
  };
  for (const Row& row : {Row{"tpp", "no field or figure 'tpp'", "did you mean 'pp' or 'tp'?"},
                         Row{"qqqqq", "no field or figure 'qqqqq'", "`trainplan list scenario-field`"},
                         Row{"bandwidth", "3 fields end in 'bandwidth'", "one of cluster.network[].bandwidth, "}}) {
    const Ran r = ran({"explain", row.said});
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
    CHECK_MESSAGE(holds(r.err, row.hint), r.err);
  }
}
