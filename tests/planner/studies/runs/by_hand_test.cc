// A user who plans a run gets the prediction that `validate` gives of it: rows of published tables (by_hand/runs.csv),
// each beside the scenario that a user would write of it (by_hand/ID.yaml): names of the catalogue, the release of the
// software, the layout, and nothing that a recipe of the release says.
#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "dsl/csv.h"
#include "planner/plan/plan.h"
#include "planner/studies/runs/predict.h"

namespace {

const std::string kFolder = TRAINPLAN_SOURCE_DIR "/tests/planner/studies/runs/by_hand/";

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string told(const dsl::Diagnostics& diagnostics) {
  std::string out;
  for (const dsl::Diagnostic& d : diagnostics.list) out += dsl::render(d);
  return out;
}

const dsl::Catalog& catalog() {
  static const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  return catalog;
}

std::vector<planner::Run> rows() {
  static const dsl::Source source{"runs.csv", text_of(kFolder + "runs.csv"), ""};
  dsl::Diagnostics diagnostics;
  std::vector<planner::Run> runs = planner::read_runs(dsl::read_csv(source, diagnostics), diagnostics);
  INFO(told(diagnostics));
  REQUIRE_FALSE(diagnostics.has_errors());
  return runs;
}

}  // namespace

TEST_CASE("validate and a scenario that a user writes of the same run agree to the last digit") {
  std::set<std::string> groups;
  for (const planner::Run& run : rows()) {
    groups.insert(run.group);
    CAPTURE(run.id);
    const planner::Prediction row = planner::predict(run.config, catalog());
    CHECK(row.skipped == "");
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    const dsl::Source& source = sources.emplace_back(dsl::Source{run.id, text_of(kFolder + run.id + ".yaml"), kFolder});
    const auto loaded = planner::read_scenario(source, {}, catalog(), sources, diagnostics);
    INFO(told(diagnostics));
    REQUIRE(loaded);
    const planner::Plan plan = planner::make_plan(loaded->scenario);
    REQUIRE(plan.step);
    CHECK(plan.step->seconds == row.step.seconds);
    CHECK(plan.step->low_seconds == row.step.low_seconds);
    CHECK(plan.step->high_seconds == row.step.high_seconds);
    CHECK(plan.memory->allocated_bytes == row.allocated_bytes);
    CHECK(plan.memory->device.peak_bytes == row.device_bytes);
  }
  CHECK(groups.size() >= 10);
}
