// A search against brute force: every combination through `read_scenario` and `make_plan`, one by one.
#include "planner/search/search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "planner/plan/fits.h"
#include "planner/plan/goals.h"
#include "planner/resolve/read.h"
#include "planner/search/rank_plans.h"
#include "planner/search/sweep.h"
#include "tests/planner/search/open_sample.h"

using planner::Found;
using planner::SearchOptions;
using planner::SearchResult;
using planner::Swept;
using sample::Sets;
using sample::operator+;

namespace {

Sets choices_of(const planner::OpenScenario& space, const std::vector<dsl::Value>& values) {
  const std::vector<std::string> names = planner::choice_names(space.space);
  Sets sets;
  for (size_t i = 0; i < values.size(); ++i) sets.push_back(names[i] + "=" + dsl::to_text(values[i]));
  return sets;
}

planner::Plan planned(const std::string& text, const Sets& sets) {
  const planner::LoadedScenario loaded = sample::load(text, sets);
  planner::Plan plan = planner::make_plan(loaded.scenario);
  dsl::Diagnostics diagnostics;
  planner::check_goals(plan, loaded, diagnostics);
  return plan;
}

std::vector<std::string> rules(const planner::Plan& plan) {
  std::vector<std::string> out;
  for (const planner::Violation& v : plan.violations) out.push_back(v.rule);
  // A plan that may fit has no violation, but a search requires more certainty.
  const bool told = std::ranges::find(out, planner::kMemoryRule) != out.end();
  if (plan.memory && !told && planner::overflow_of(*plan.memory))
    out.insert(std::ranges::find(out, "host-memory"), planner::kMemoryRule);
  return out;
}

const Sets kLayouts{"cluster.gpus=16", "parallelism.tp=[1, 2, 4]", "parallelism.pp=divisors(model.layers)",
                    "parallelism.microbatch=pow2(1, 4)", "parallelism.zero=[0, 1]"};

const struct {
  const char *what, *text;
  Sets sets;
} kSpaces[] = {
    {"layouts", sample::kGpt, kLayouts},
    {"recompute and interleaving", sample::kGpt,
     kLayouts + Sets{"parallelism.interleave=divisors(model.layers / pp)", "parallelism.zero=1",
                     "parallelism.recompute=[none, selective, full]"}},
    {"conditions", sample::kLlama,
     kLayouts + Sets{"where=[\"tp * pp <= 8\", \"memory.peak < 12 GB\"]", "job.tokens=1e9",
                     "goal={minimize: usd, deadline: 3 d}"}},
    {"GPUs, context and precision",
     sample::kLlama,
     {"cluster.gpus=[8, 16]", "parallelism.cp=[1, 2, 4]", "job.precision=[fp32, bf16]", "job.tokens=1e9",
      "parallelism.sequence_parallel=[false, true]", "parallelism.tp=[1, 2]",
      "where=[\"cp <= 2 or tp == 1\", memory.peak < 20 GB]", "goal={maximize: mfu}"}},
    {"software and hardware",
     sample::kLlama,
     {"software.overlap.gradients=[false, true]", "cluster.gpu.memory=[20 GB, 80 GB]", "parallelism.tp=[1, 8]",
      "parallelism.schedule=[1f1b, gpipe]", "parallelism.pp=[1, 2, 4]", "parallelism.dp=cluster.gpus / (tp * pp)",
      "goal={minimize: step * memory.peak}"}},
    {"transfers that something hides",
     sample::kGpt,
     {"cluster.gpus=16", "parallelism.tp=[1, 2]", "parallelism.pp=[1, 2]",
      "parallelism.schedule=[1f1b, interleaved, zb-h1]", "parallelism.interleave=[1, 2]", "parallelism.zero=[0, 1, 3]",
      "parallelism.offload.optimizer=[0, 0.5]", "cluster.host.bandwidth=32 GB/s",
      "cluster.host.memory_bandwidth=100 GB/s", "software.fsdp=[false, true]", "software.overlap.tensor=[false, true]",
      "cluster.gpu.memory=[4 GB, 80 GB]"}},
    {"several lengths, of which some break rules that others keep",
     sample::kGpt,
     {"job.sequence={points: [63, 96, 256, 1024], weights: [3, 1, 4, 2]}", "cluster.gpus=16", "parallelism.tp=[1, 2]",
      "parallelism.sequence_parallel=tp > 1", "parallelism.pp=[1, 2]", "parallelism.schedule=[1f1b, zb-h1]",
      "parallelism.zero=[0, 1, 3]", "parallelism.offload.optimizer=[0, 0.5]", "cluster.host.bandwidth=32 GB/s",
      "cluster.host.memory_bandwidth=100 GB/s", "software.fsdp=[false, true]", "software.overlap.tensor=[false, true]",
      "cluster.gpu.memory=[2 GB, 80 GB]"}},
    {"several lengths and what hides their transfers",
     sample::kGpt,
     {"job.sequence={points: [64, 96, 256, 1024], weights: [3, 1, 4, 2]}", "cluster.gpus=16", "parallelism.tp=[1, 2]",
      "parallelism.pp=[1, 2]", "parallelism.schedule=[1f1b, interleaved, zb-h1]", "parallelism.interleave=[1, 2]",
      "parallelism.zero=[0, 1, 3]", "software.fsdp=[false, true]", "software.overlap.tensor=[false, true]"}},
    {"transfers that something hides, moved by own runs",
     sample::kGpt,
     {"cluster.gpus=16", "parallelism.tp=[1, 2]", "parallelism.pp=[1, 2]", "parallelism.zero=[0, 1, 3]",
      "software.fsdp=[false, true]", "job.sequence={points: [64, 1024], weights: [3, 1]}",
      "cluster.gpu.generation=ampere", "software.errors.own={generation: ampere, runs: 2, mean: 0.3}",
      "cluster.gpu.memory=[4 GB, 80 GB]"}},
    {"releases of a framework, and what its rules read",
     sample::kLlama,
     {"software.use=megatron-bridge", "software.release=[25.09, 25.11, 26.06]", "model.family=qwen3",
      "model.experts={count: 8, top_k: 2}", "cluster.use=dgx-h100", "cluster.gpu.memory=[4 GB, 20 GB]",
      "job.precision=[bf16, fp8]", "parallelism.tp=[1, 2, 8]", "parallelism.ep=[1, 8]"}},
};

}  // namespace

TEST_CASE("every row of a sweep is the plan of its choices, bit by bit") {
  for (const auto& space : kSpaces) {
    INFO(std::string(space.what));
    const planner::OpenScenario scenario = sample::opened(space.text, space.sets);
    int64_t rows = 0, feasible = 0;
    planner::sweep(scenario, [&](const Swept& swept) {
      CHECK(swept.index == rows++);
      if (swept.broken == std::vector<std::string>{"divisibility"}) return true;  // an error in a plan
      const planner::Plan plan = planned(space.text, space.sets + choices_of(scenario, swept.choices));
      CHECK(swept.broken == rules(plan));
      feasible += rules(plan).empty();
      REQUIRE(swept.found.has_value() == plan.step.has_value());
      if (!plan.step) return true;
      const planner::Results& r = swept.found->results;
      CHECK(r.step.seconds == plan.step->seconds);
      CHECK(r.step.low_seconds == plan.step->low_seconds);
      CHECK(r.peak_bytes == plan.memory->device.peak_bytes);
      CHECK(r.mfu == plan.throughput->mfu);
      CHECK(r.usd == plan.cost->usd);
      CHECK(r.hidden_comm == planner::results_of(plan).hidden_comm);
      return true;
    });
    CHECK(rows >= 16);
    CHECK(feasible > 0);
    CHECK(feasible < rows);
  }
}

TEST_CASE("a search finds the best of a sweep, and counts what it refused") {
  for (const auto& space : kSpaces) {
    INFO(std::string(space.what));
    const planner::OpenScenario scenario = sample::opened(space.text, space.sets);
    std::vector<Swept> rows;
    planner::sweep(scenario, [&](const Swept& swept) { return rows.push_back(swept), true; });
    const SearchResult result = planner::search(scenario, {.top = 1000, .pareto = {}, .threads = 2});
    CHECK(result.candidates == static_cast<int64_t>(rows.size()));
    int64_t feasible = 0, rejected = 0;
    for (const Swept& row : rows) feasible += row.broken.empty();
    for (const auto& [rule, count] : result.rejected) rejected += count;
    CHECK(result.feasible == feasible);
    CHECK(result.candidates == result.feasible + rejected);
    REQUIRE(result.plans.size() == static_cast<size_t>(feasible));
    for (size_t i = 1; i < result.plans.size(); ++i) {
      CHECK(result.plans[i - 1].objective <= result.plans[i].objective);
      if (result.plans[i - 1].objective != result.plans[i].objective) continue;
      CHECK(result.plans[i - 1].results.step.seconds <= result.plans[i].results.step.seconds);
      if (result.plans[i - 1].results.step.seconds == result.plans[i].results.step.seconds)
        CHECK(result.plans[i - 1].position < result.plans[i].position);
    }
  }
}

TEST_CASE("threads and shards change nothing") {
  const planner::OpenScenario scenario = sample::opened(kSpaces[1].text, kSpaces[1].sets);
  const std::vector<const planner::ResultRow*> axes{planner::find_result("step"), planner::find_result("memory.peak")};
  const auto text = [&](const SearchResult& r) {
    std::string out =
        std::to_string(r.candidates) + "/" + std::to_string(r.evaluated) + "/" + std::to_string(r.feasible) + "\n";
    for (const auto* rows : {&r.plans, &r.pareto})
      for (const Found& f : *rows)
        for (const dsl::Value& value : f.choices) out += dsl::to_text(value) + " ";
    return out;
  };
  const std::string one = text(planner::search(scenario, {.pareto = axes, .threads = 1}));
  for (int64_t threads : {2, 3, 8}) CHECK(text(planner::search(scenario, {.pareto = axes, .threads = threads})) == one);
  int64_t candidates = 0;
  double best = 1e9;
  for (int64_t shard = 0; shard < 3; ++shard) {
    const SearchResult part = planner::search(scenario, {.pareto = axes, .shard = shard, .shards = 3});
    candidates += part.candidates;
    if (!part.plans.empty()) best = std::min(best, part.plans.front().objective);
  }
  const SearchResult whole = planner::search(scenario, {.pareto = axes});
  CHECK(candidates == whole.candidates);
  CHECK(best == whole.plans.front().objective);
}

TEST_CASE("a Pareto front is what nothing beats") {
  const planner::OpenScenario scenario = sample::opened(kSpaces[1].text, kSpaces[1].sets);
  const SearchResult result = planner::search(
      scenario,
      {.top = 1000, .pareto = {planner::find_result("step"), planner::find_result("memory.headroom")}, .threads = 2});
  const auto beats = [](const Found& a, const Found& b) {
    const double x = a.results.step.seconds, y = b.results.step.seconds, free = a.results.headroom_bytes,
                 other = b.results.headroom_bytes;
    return x <= y && free >= other && (x < y || free > other);
  };
  REQUIRE(result.pareto.size() > 1);
  size_t expected = 0;
  std::set<std::pair<double, double>> seen;
  for (const Found& f : result.plans) {
    const bool beaten = std::any_of(result.plans.begin(), result.plans.end(), [&](auto& o) { return beats(o, f); });
    if (!beaten && seen.insert({f.results.step.seconds, f.results.headroom_bytes}).second) ++expected;
  }
  CHECK(result.pareto.size() == expected);
  for (const Found& f : result.pareto)
    CHECK(std::none_of(result.plans.begin(), result.plans.end(), [&](auto& o) { return beats(o, f); }));
}

TEST_CASE("scaling efficiency compares with the best plan on the fewest GPUs") {
  const Sets sets{"cluster.gpus=[8, 16, 32]", "parallelism.tp=[1, 2]", "goal={maximize: scaling_efficiency}",
                  "where=[scaling_efficiency >= 0.9]"};
  const planner::OpenScenario scenario = sample::opened(sample::kLlama, sets);
  const SearchResult result = planner::search(scenario, {.top = 100, .pareto = {}});
  REQUIRE(result.feasible > 0);
  CHECK(result.fewest_gpus() == 8);
  double base = 0;
  for (const char* tp : {"parallelism.tp=1", "parallelism.tp=2"})
    base = std::max(base, planned(sample::kLlama, {"cluster.gpus=8", tp}).throughput->tokens_per_second_per_gpu);
  for (const Found& f : result.plans) {
    CHECK(sample::near(f.results.scaling_efficiency,
                       f.results.tokens_per_second / static_cast<double>(f.results.gpus) / base));
    CHECK(f.results.scaling_efficiency >= 0.9);
  }
}

TEST_CASE("plans are tied with the first of their group where errors of the models cover their difference") {
  const planner::OpenScenario scenario =
      sample::opened(sample::kGpt, {"parallelism.tp=[1, 2, 8]", "parallelism.zero=[0, 1]"});
  SearchResult result = planner::search(scenario, {.pareto = {}});
  planner::rank_plans(result.plans, planner::tie_law(scenario), 10);
  for (size_t i = 0; i < result.plans.size(); ++i) {
    const size_t first = result.plans[i].tied;
    if (first == 0) continue;
    REQUIRE(first <= i + 1);
    CHECK(result.plans[first - 1].tied == first);
    const bool is_last = i + 1 == result.plans.size();
    CHECK((first <= i || (!is_last && result.plans[i + 1].tied == first)));  // a group has two or more
  }
  CHECK(result.plans.back().tied != 1);
  CHECK(result.plans.front().tied == 1);
}

TEST_CASE("no-overlap and perfect-overlap bound the step") {
  const planner::OpenScenario scenario = sample::opened(kSpaces[0].text, kSpaces[0].sets);
  planner::sweep(scenario, [](const Swept& swept) {
    if (!swept.found) return true;
    CHECK(swept.found->results.hidden_comm >= 0);
    CHECK(swept.found->results.exposed_comm <= swept.found->results.step.seconds);
    return true;
  });
}
