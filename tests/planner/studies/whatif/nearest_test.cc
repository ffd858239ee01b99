// The nearest miss and what would make it fit; what refuses the candidates of a space.
#include "planner/studies/whatif/nearest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "planner/plan/fits.h"
#include "planner/plan/goals.h"
#include "planner/studies/whatif/obstacles.h"
#include "tests/planner/studies/whatif/changes_sample.h"

using planner::LoadedScenario;
using planner::NearestMiss;
using sample::kRun;
using sample::Sets;
using sample::texts;
using sample::operator+;

namespace {

planner::Reread reader(const Sets& base) { return sample::reader(sample::kLlama, base); }

NearestMiss miss_of(const Sets& base) {
  return planner::nearest_miss({}, sample::neighbours(sample::kLlama, base), reader(base));
}

planner::Plan checked(const LoadedScenario& loaded) {
  planner::Plan plan = planner::make_plan(loaded.scenario);
  dsl::Diagnostics diagnostics;
  planner::check_goals(plan, loaded, diagnostics);
  return plan;
}

/// A memory in which `base` just does not fit.
Sets tight(const Sets& base, double share) {
  const double peak = sample::plan(sample::llama(base)).memory->device.peak_bytes;
  return base + Sets{"cluster.gpu.memory=" + std::to_string(peak * share) + " B"};
}

}  // namespace

TEST_CASE("the nearest miss: what overflows, and a change that makes it fit") {
  const Sets base = tight(kRun + Sets{"parallelism.microbatch=4"}, 0.97);
  const NearestMiss miss = miss_of(base);
  REQUIRE(miss.overflow);
  CHECK(miss.overflow->stage == 0);
  CHECK(miss.overflow->use.peak_bytes == miss.plan.memory->device.peak_bytes);
  CHECK(miss.plan.violations.front().message.starts_with(miss.overflow->text()));
  REQUIRE(!miss.advice.remedies.empty());
  const planner::FitRemedy& first = miss.advice.remedies.front();
  const planner::Plan fixed = checked(sample::load(sample::kLlama, base + texts(first.sets)));
  CHECK(fixed.feasible);
  CHECK(fixed.step->seconds == first.plan.step->seconds);
}

TEST_CASE("a deadline asks for more GPUs, and two limits at once for two changes") {
  const Sets run = kRun + Sets{"software.step_overhead=0 s"};  // which no GPU shortens
  const double days = *sample::plan(sample::llama(run)).cost->days;
  const Sets late = run + Sets{"goal={deadline: " + std::to_string(days * 0.6) + " d}"};
  const NearestMiss miss = miss_of(late);
  CHECK(!miss.overflow);
  REQUIRE(!miss.advice.remedies.empty());
  const planner::FitRemedy& first = miss.advice.remedies.front();
  CHECK(first.sets.front().first == "cluster.gpus");
  CHECK(first.plan.cost->gpus == 16);
  CHECK(*first.plan.cost->days <= days * 0.6);
  // Less memory than any layout of so few GPUs, and no time: nothing helps.
  const NearestMiss hopeless =
      miss_of(kRun + Sets{"cluster.gpus=2", "job.global_batch=2", "cluster.gpu.memory=1 MB", "goal={deadline: 1 s}"});
  CHECK(hopeless.advice.remedies.empty());
  CHECK(hopeless.plan.violations.size() == 2);
}

TEST_CASE("a change that fits the memory is named where no change keeps all other limits too") {
  const Sets base = tight(kRun + Sets{"parallelism.microbatch=4"}, 0.97) + Sets{"goal={deadline: 1 s}"};
  const NearestMiss miss = miss_of(base);
  CHECK(!miss.advice.keeps_limits);
  REQUIRE(!miss.advice.remedies.empty());
  CHECK(!miss.advice.remedies.front().plan.memory->overflows());
  const std::string text = planner::advice_text(miss.advice, miss.plan);
  CHECK(text.starts_with("it would fit with "));
  CHECK(text.ends_with("no change of one setting keeps the other limits too, and none of two"));
}

TEST_CASE("obstacles: every refused candidate counts at the place that refuses it") {
  const planner::OpenScenario open =
      sample::opened(sample::kLlama, kRun + Sets{"parallelism.tp=[1, 2, 3, 32]", "parallelism.dp=cluster.gpus / tp",
                                                 "parallelism.microbatch=[1, 128]", "where=[\"tp > 1\", \"mfu > 2\"]"});
  const planner::SearchResult result = planner::search(open, {.top = 1, .pareto = {}});
  CHECK(result.feasible == 0);
  const std::vector<planner::Obstacle> found = planner::obstacles(open, result);
  int64_t candidates = 0;
  for (const planner::Obstacle& o : found) candidates += o.candidates;
  CHECK(candidates == result.candidates);
  const auto of = [&](const std::string& part) {
    const auto it = std::find_if(found.begin(), found.end(),
                                 [&](const planner::Obstacle& o) { return o.message.find(part) != std::string::npos; });
    REQUIRE_MESSAGE(it != found.end(), part);
    return *it;
  };
  CHECK(of("'tp > 1' does not hold").candidates == 2);
  CHECK(of("'tp > 1' does not hold").place.source->name == "--set");
  CHECK(of("'tp > 1' does not hold").example.size() == 2);
  CHECK(of("'mfu > 2' does not hold for their results").candidates == 1);
  CHECK(of("parallelism.dp comes to no whole number").candidates == 2);
  CHECK(of("parallelism.dp comes to no whole number").example.size() == 1);
  const planner::Obstacle batch = of("is not a multiple of");
  CHECK(batch.rule == "batch");
  CHECK(dsl::to_text(batch.example.back().second) == "128");
}

TEST_CASE("obstacles: limits stand where they are written, and what has no value counts by its item") {
  const struct {
    Sets sets;
    const char *rule, *message;
    int64_t candidates;
    bool placed;
    size_t example;  // choices of it
  } rows[] = {
      {{"goal={deadline: 1 s}"}, "deadline", "longer than the deadline", 2, true, 0},
      {{"goal={budget: 1 USD}"}, "budget", "more than the budget", 2, true, 0},
      {{"goal={minimize: usd}", "cluster.price=null"}, "goal", "the goal has no value", 2, true, 0},
      {{"cluster.gpu.memory=1 MB"}, "memory", "more than the memory of a GPU", 2, false, 0},
      {{"job.global_batch=3"}, "batch", "is not a multiple of", 2, false, 1},
      {{"parallelism.zero_group=16 / (3 * tp)"},
       "divisibility",
       "parallelism.zero_group comes to no whole",
       2,
       true,
       1},
      {{"parallelism.offload.weights=parallelism.tp * 2"},
       "value",
       "parallelism.offload.weights has no value",
       2,
       true,
       1},
      {{"where=[\"tp > 2 and mfu > 0\"]"}, "where", "'tp > 2 and mfu > 0' does not hold for their results", 2, true, 0},
      {{"where=[tp > 2]"}, "where", "'tp > 2' does not hold", 2, true, 1},
      {{"where=[job.sequence > 1e6]"}, "where", "'job.sequence > 1e6' does not hold", 2, true, 1},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.message));
    dsl::Diagnostics mistakes;
    const auto open = sample::try_open(sample::kLlama, kRun + Sets{"parallelism.tp=[1, 2]"} + row.sets, mistakes);
    REQUIRE(open);
    const planner::SearchResult result = planner::search(*open, {.top = 1, .pareto = {}});
    const std::vector<planner::Obstacle> found = planner::obstacles(*open, result);
    REQUIRE(found.size() == 1);
    CHECK(found[0].rule == row.rule);
    CHECK_MESSAGE(found[0].message.find(row.message) != std::string::npos, found[0].message);
    CHECK(found[0].candidates == row.candidates);
    CHECK((found[0].place.source != nullptr) == row.placed);
    CHECK(found[0].example.size() == row.example);
  }
}
