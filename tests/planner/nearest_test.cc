// The nearest miss and what would make it fit; changes of one setting; what refuses the candidates of a space.
#include "planner/studies/nearest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "planner/studies/obstacles.h"
#include "tests/planner/open_sample.h"

using planner::Change;
using planner::LoadedScenario;
using planner::NearestMiss;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kRun{"job.tokens=1e9", "cluster.price=2 USD/h"};

Sets texts(const planner::Sets& sets) {
  Sets out;
  for (const auto& [path, value] : sets) out.push_back(path + "=" + value);
  return out;
}

planner::Reread reader(const Sets& base) {
  return [base](const planner::Sets& sets) -> std::optional<LoadedScenario> {
    return sample::load(sample::kLlama, base + texts(sets));
  };
}

NearestMiss miss_of(const Sets& base) { return planner::nearest_miss({}, reader(base)); }

planner::Plan checked(const LoadedScenario& loaded) {
  planner::Plan plan = planner::make_plan(loaded.scenario);
  dsl::Diagnostics diagnostics;
  planner::check_goals(plan, loaded, diagnostics);
  return plan;
}

/// A memory in which `base` just does not fit.
Sets tight(const Sets& base, double share) {
  const double peak = sample::plan(sample::llama(base)).memory->peak_bytes;
  return base + Sets{"cluster.gpu.memory=" + std::to_string(peak * share) + " B"};
}

}  // namespace

TEST_CASE("every change is what --set makes of it") {
  const Sets base = kRun + Sets{"parallelism.tp=2", "parallelism.pp=2", "parallelism.interleave=4",
                                "parallelism.microbatch=4", "cluster.gpus=16"};
  const LoadedScenario loaded = sample::load(sample::kLlama, base);
  const std::vector<Change> changes = planner::single_changes(loaded);
  CHECK(changes.size() > 15);
  std::optional<size_t> kind;
  for (const Change& change : changes) {
    CHECK(!change.sets.empty());
    if (std::exchange(kind, change.kind) == change.kind) continue;
    const LoadedScenario read = sample::load(sample::kLlama, base + texts(change.sets));
    CAPTURE(change.sets.front().first);
    CHECK(sample::members(change.loaded.scenario) == sample::members(read.scenario));
    CHECK(change.loaded.record.find("parallelism.tp")->value == read.record.find("parallelism.tp")->value);
    CHECK(!planner::broken_layout_rule(read.scenario));
  }
}

TEST_CASE("the cheapest change of one setting makes a plan fit, and none that is cheaper does") {
  const Sets base = tight(kRun + Sets{"parallelism.microbatch=4"}, 0.97);
  const NearestMiss miss = miss_of(base);
  REQUIRE(miss.overflow);
  CHECK(miss.overflow->stage == 0);
  CHECK(miss.overflow->bytes == miss.plan.memory->peak_bytes);
  CHECK(miss.plan.violations.front().message.starts_with(miss.overflow->text()));
  REQUIRE(miss.fix);
  const planner::Plan fixed = checked(sample::load(sample::kLlama, base + texts(miss.fix->sets)));
  CHECK(fixed.feasible);
  CHECK(fixed.step->seconds == miss.fix->plan.step->seconds);
  for (const Change& change : planner::single_changes(sample::load(sample::kLlama, base))) {
    const planner::Plan plan = checked(change.loaded);
    if (plan.feasible) CHECK(*plan.cost->usd >= *fixed.cost->usd);
  }
}

TEST_CASE("a deadline asks for more GPUs, and two limits at once for two changes") {
  const double days = *sample::plan(sample::llama(kRun)).cost->days;
  const Sets late = kRun + Sets{"goal={deadline: " + std::to_string(days * 0.6) + " d}"};
  const NearestMiss miss = miss_of(late);
  CHECK(!miss.overflow);
  REQUIRE(miss.fix);
  CHECK(miss.fix->sets.front().first == "cluster.gpus");
  CHECK(miss.fix->plan.cost->gpus == 16);
  CHECK(*miss.fix->plan.cost->days <= days * 0.6);
  // Less memory than any layout of so few GPUs, and no time: nothing helps.
  const NearestMiss hopeless =
      miss_of(kRun + Sets{"cluster.gpus=2", "job.global_batch=2", "cluster.gpu.memory=1 MB", "goal={deadline: 1 s}"});
  CHECK(!hopeless.fix);
  CHECK(hopeless.plan.violations.size() == 2);
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
