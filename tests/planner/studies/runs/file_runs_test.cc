// Tables whose rows name scenarios: their measurements become seconds of a step.
#include <doctest/doctest.h>

#include "planner/studies/runs/score.h"

namespace {

const dsl::Catalog kCatalog{.builtin = planner::builtin_catalog(), .directories = {}};

constexpr const char* kScenario =
    "model: {use: llama3-8b}\n"
    "job: {sequence: 8192, global_batch: 64, precision: bf16}\n"
    "cluster: {use: dgx-h100, gpus: 8}\n"
    "parallelism: {tp: 2, microbatch: 1}\n";

std::vector<planner::Run> runs(const std::string& rows, dsl::Diagnostics& diagnostics) {
  static std::deque<dsl::Source> sources;
  const dsl::Source& source =
      sources.emplace_back(dsl::Source{"runs.csv", "file,quantity,measured,source\n" + rows, ""});
  return planner::read_runs(dsl::read_csv(source, diagnostics), diagnostics);
}

planner::ScoredRun scored(const std::string& row, const char* scenario = kScenario) {
  dsl::Diagnostics diagnostics;
  planner::Run run = runs(row, diagnostics).at(0);
  run.config.scenario = scenario;
  planner::Prediction prediction = planner::predict(run.config, kCatalog);
  return planner::score_run(std::move(run), std::move(prediction));
}

}  // namespace

TEST_CASE("a rate is the step that a plan would take at it") {
  const double step = *scored("a.yaml,s/step,5,paper\n").measured_seconds;
  CHECK(step == 5);
  const double tokens = 64 * 8192;
  const std::pair<std::string, double> rows[] = {
      {"tok/s total", tokens / 5}, {"tok/s/GPU", tokens / 5 / 8}, {"seq/s", 64.0 / 5}};
  for (const auto& [quantity, rate] : rows)
    CHECK(*scored("a.yaml," + quantity + "," + std::to_string(rate) + ",paper\n").measured_seconds ==
          doctest::Approx(5).epsilon(1e-5));
  const planner::ScoredRun mfu = scored("a.yaml,MFU %,40,paper\n");
  CHECK(*mfu.measured_seconds == doctest::Approx(mfu.prediction.step.seconds * mfu.prediction.throughput.mfu / 0.4));
}

TEST_CASE("a layout that is left to a search is its best plan; what cannot be read is skipped with the reason") {
  const planner::ScoredRun best = scored("a.yaml,s/step,5,paper\n",
                                         "model: {use: llama3-8b}\n"
                                         "job: {sequence: 8192, global_batch: 64, precision: bf16}\n"
                                         "cluster: {use: dgx-h100, gpus: 8}\n"
                                         "software: {use: megatron-core}\n"
                                         "parallelism: auto\n");
  CHECK(!best.skipped());
  CHECK(best.prediction.step.seconds <= scored("a.yaml,s/step,5,paper\n").prediction.step.seconds);
  CHECK(scored("a.yaml,s/step,5,paper\n", "model: {use: nothing}\n").prediction.skipped.find("nothing") !=
        std::string::npos);
}

TEST_CASE("an unknown quantity and a measurement of nothing are diagnosed at their cell") {
  for (const char* row : {"a.yaml,furlongs,5,paper\n", "a.yaml,s/step,0,paper\n"}) {
    dsl::Diagnostics diagnostics;
    runs(row, diagnostics);
    REQUIRE(diagnostics.has_errors());
    CHECK(diagnostics.list.front().span.line == 2);
  }
}
