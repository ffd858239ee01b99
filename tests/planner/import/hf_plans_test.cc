// Every configuration of the tests as part of a scenario on three machines.
#include <doctest/doctest.h>

#include <filesystem>

#include "planner/plan/plan.h"
#include "planner/resolve/read.h"

namespace {

const std::filesystem::path kHf = TRAINPLAN_SOURCE_DIR "/tests/planner/import/hf";

planner::Plan plan(const std::string& model, const std::string& cluster) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source source{
      "a.yaml",
      "model: {use: 'hf:" + model + "'}\njob: {sequence: 4096, global_batch: 256}\ncluster: {use: " + cluster +
          ", gpus: 256}\nparallelism: {tp: 2, ep: 'if(model.experts.count > 0, 4, 1)', zero: 1, recompute: selective, "
          "sequence_parallel: true}\n",
      kHf.string()};
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  const auto loaded = planner::read_scenario(source, {}, catalog, sources, diagnostics);
  REQUIRE(loaded);
  CHECK_FALSE(diagnostics.has_errors());
  return planner::make_plan(loaded->scenario);
}

}  // namespace

TEST_CASE("every configuration of the tests plans on three machines, or lacks memory alone") {
  int fits = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kHf)) {
    const std::string name = entry.path().filename().string();
    for (const char* cluster : {"dgx-h100", "dgx-b200", "mi355x-oam"}) {
      CAPTURE(name + " on " + cluster);
      const planner::Plan p = plan(name, cluster);
      REQUIRE(p.step.has_value());
      CHECK(p.step->seconds > 0);
      CHECK(p.violations.size() <= 1);
      for (const planner::Violation& v : p.violations) CHECK(v.rule == "memory");
      fits += p.violations.empty();
    }
  }
  CHECK(fits >= 60);
}
