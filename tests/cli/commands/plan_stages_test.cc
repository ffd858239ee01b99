// How the stages of a plan's pipeline spend their step, on the page, in JSON and as a picture.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/pages/plan_report.h"
#include "planner/plan/stage_times.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kStagedRun = TRAINPLAN_SOURCE_DIR "/scenarios/gpt3-175b.yaml";
const std::string kOneStage = TRAINPLAN_SOURCE_DIR "/scenarios/llama3-8b-fsdp.yaml";
const std::string kSplitRun = TRAINPLAN_SOURCE_DIR "/scenarios/llama2-7b-zero-bubble-mi300x.yaml";

Json staged_plan(const std::string& file, const std::vector<std::string>& sets = {}) {
  std::vector<std::string> words{"plan", file, "--format", "json", "--quiet"};
  for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
  const Ran plan = ran(words);
  REQUIRE_MESSAGE(plan.status != 1, plan.err);
  return Json::parse(plan.out);
}

double stage_seconds(const Json& stage) {
  return stage.at("forward_seconds").get<double>() + stage.at("backward_seconds").get<double>() +
         stage.at("weight_gradient_seconds").get<double>() + stage.at("wait_seconds").get<double>();
}

}  // namespace

TEST_CASE("the stages of a pipeline take the same time, of which one waits least") {
  const Json plan = staged_plan(kStagedRun);
  const Json& stages = plan.at("stages");
  REQUIRE(stages.size() == 8);
  double least = stage_seconds(stages[0]);
  for (size_t i = 0; i < stages.size(); ++i) {
    CHECK(stages[i].at("stage") == i);
    CHECK(stage_seconds(stages[i]) == doctest::Approx(stage_seconds(stages[0])).epsilon(1e-9));
    least = std::min(least, stages[i].at("wait_seconds").get<double>());
  }
  // The bubble of a plan is that of the stage that finishes last; no stage waits less than nothing.
  CHECK(least >= 0);
  CHECK(stage_seconds(stages[0]) <= plan.at("step").at("seconds").get<double>());
  CHECK(stages[0].at("weight_gradient_seconds") == 0);
}

TEST_CASE("fewer microbatches wait longer, relative to their work") {
  const auto share = [](const Json& plan) {
    const Json& stage = plan.at("stages").at(1);
    return stage.at("wait_seconds").get<double>() / stage_seconds(stage);
  };
  CHECK(share(staged_plan(kStagedRun, {"job.global_batch=192"})) >
        share(staged_plan(kStagedRun, {"job.global_batch=384"})));
}

TEST_CASE("a schedule that splits the backward pass has its weight gradients apart") {
  const Json plan = staged_plan(kSplitRun);
  REQUIRE(plan.contains("stages"));
  for (const Json& stage : plan.at("stages")) CHECK(stage.at("weight_gradient_seconds").get<double>() > 0);
}

TEST_CASE("the page shows the stages of a pipeline, and none where there is one") {
  const Ran page = ran({"plan", kStagedRun, "--quiet"});
  CHECK(page.out.find("Stages of the pipeline, all microbatches of a step\nstage  forward") != std::string::npos);
  CHECK(page.out.find("\n1-6  ") != std::string::npos);
  CHECK(ran({"plan", kOneStage, "--quiet"}).out.find("Stages of the pipeline") == std::string::npos);
  CHECK(staged_plan(kOneStage).at("stages").size() == 1);
}

TEST_CASE("a pipeline of any number of microbatches has stages, and a layout that does not work none") {
  CHECK(staged_plan(kStagedRun, {"job.global_batch=196608"}).at("stages").size() == 8);
  CHECK(!staged_plan(kStagedRun, {"parallelism.tp=5"}).contains("stages"));
}

TEST_CASE("the picture has a bar for each run of stages that are alike") {
  const planner::LoadedScenario loaded = sample_scenario();
  planner::Plan plan = sample_plan();
  REQUIRE(plan.memory);
  const planner::StageUse busy{.forward = 1, .backward = 2, .wait = 1}, idle{.forward = 1, .backward = 1, .wait = 2};
  const cli::svg::StackedBars chart = cli::plan_bars(loaded, plan, {busy, busy, idle});
  REQUIRE(chart.bars.size() > 2);
  CHECK(chart.bars[0].label == "stage 0-1");
  CHECK(chart.bars[0].heading == "time, of the pipeline's");
  CHECK(chart.bars[0].parts[2] == doctest::Approx(0.25));
  CHECK(chart.bars[1].label == "stage 2");
  CHECK(chart.bars[1].heading.empty());
  CHECK(chart.bars[2].heading == "memory, of what there is");
  for (const cli::svg::Bar& bar : chart.bars) {
    double sum = 0;
    for (const double part : bar.parts) sum += part;
    CHECK(bar.parts.size() == chart.series.size());
    CHECK(sum <= 1 + 1e-9);
  }
  plan.memory.reset();
  CHECK(cli::plan_bars(loaded, plan, {}).bars.empty());
  CHECK(cli::AlikeStages<planner::StageUse>{{}, 3, 3}.name() == "3");
  CHECK(cli::AlikeStages<planner::StageUse>{{}, 0, 11}.name() == "0-11");
}
