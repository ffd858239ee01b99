// Layers divided by cost: compared with all divisions of small pipelines, and in plans.
#include "planner/plan/balance.h"

#include <doctest/doctest.h>

#include <numeric>
#include <random>
#include <span>

#include "planner/workload/partition.h"
#include "tests/planner/sample.h"

using planner::balanced;
using planner::LayerCosts;
using planner::Scenario;
using sample::Sets;
using sample::operator+;

namespace {

/// The dearest part of a division.
double dearest(const LayerCosts& costs, std::span<const int64_t> division) {
  double most = 0;
  size_t layer = 0;
  for (size_t part = 0; part < division.size(); ++part) {
    double sum = (part == 0 ? costs.first : 0) + (part + 1 == division.size() ? costs.last : 0);
    for (int64_t i = 0; i < division[part]; ++i) sum += costs.layers[layer++];
    most = std::max(most, sum);
  }
  return most;
}

/// The least that the dearest part costs of all divisions whose parts between the ends have a layer.
double least_of_all(const LayerCosts& costs, std::vector<int64_t>& division, size_t part, int64_t left) {
  if (part + 1 == division.size()) {
    division[part] = left;
    return dearest(costs, division);
  }
  double least = 1e300;
  for (int64_t here = part == 0 ? 0 : 1; here <= left; ++here) {
    division[part] = here;
    least = std::min(least, least_of_all(costs, division, part + 1, left - here));
  }
  return least;
}

constexpr const char* kHybrid = R"(
model: {layers: 12, hidden: 1024, heads: 16, vocab: 128000, bias: false, norm: rmsnorm, gated_mlp: true, ffn: 8192,
        pattern: MMMMMM******, kinds: [{use: mamba2}, {use: attention}]}
job: {sequence: 8192, global_batch: 64}
cluster: {use: dgx-h100, gpus: 8}
software: {use: megatron-core}
parallelism: {pp: 4}
)";
Scenario hybrid(const Sets& sets) { return sample::scenario(kHybrid, sets); }
const Sets kByCost{"parallelism.balance=cost"};

std::vector<double> costs_of(const LayerCosts& costs, const std::vector<int64_t>& division) {
  std::vector<double> parts;
  size_t layer = 0;
  for (const int64_t n : division) {
    double sum = parts.empty() ? costs.first : 0;
    for (int64_t i = 0; i < n; ++i) sum += costs.layers[layer++];
    parts.push_back(sum);
  }
  parts.back() += costs.last;
  return parts;
}

}  // namespace

TEST_CASE("no division of a small pipeline is cheaper where it is dearest") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(0.1, 3);
  int uneven = 0;
  for (int64_t layers = 2; layers <= 9; ++layers)
    for (int64_t parts = 2; parts <= std::min<int64_t>(5, layers + 2); ++parts)
      for (int times = 0; times < 6; ++times) {
        LayerCosts costs{.layers = {}, .first = times % 2 * any(random), .last = times % 3 * any(random)};
        for (int64_t i = 0; i < layers; ++i) costs.layers.push_back(times < 3 ? 1 : any(random));
        const std::vector<int64_t> division = balanced(costs, parts);
        CAPTURE(layers);
        CAPTURE(parts);
        REQUIRE(division.size() == static_cast<size_t>(parts));
        CHECK(std::accumulate(division.begin(), division.end(), int64_t{0}) == layers);
        for (size_t i = 1; i + 1 < division.size(); ++i) CHECK(division[i] > 0);
        std::vector<int64_t> any_division(division.size());
        CHECK(dearest(costs, division) == doctest::Approx(least_of_all(costs, any_division, 0, layers)).epsilon(1e-8));
        uneven += division.front() != division.back();
      }
  CHECK(uneven > 20);
}

TEST_CASE("equal layers are dealt evenly, and heavy ends hold fewer") {
  const auto deal = [](int64_t layers, double first, double last, int64_t parts) {
    return balanced({.layers = std::vector<double>(static_cast<size_t>(layers), 1), .first = first, .last = last},
                    parts);
  };
  CHECK(deal(12, 0, 0, 4) == std::vector<int64_t>{3, 3, 3, 3});
  CHECK(deal(14, 1, 1, 4) == std::vector<int64_t>{3, 4, 4, 3});
  CHECK(deal(10, 0, 2, 4) == std::vector<int64_t>{3, 3, 3, 1});
  CHECK(deal(2, 5, 5, 4) == std::vector<int64_t>{0, 1, 1, 0});
  CHECK(balanced({.layers = {1, 1, 1, 1, 4, 4}, .first = 0, .last = 0}, 3) == std::vector<int64_t>{4, 1, 1});
}

TEST_CASE("stages of unlike layers: the slowest is faster than where each has as many layers") {
  const Scenario even = hybrid({}), fair = hybrid(kByCost);
  const std::vector<int64_t> by_number = planner::layers_per_part(even), by_cost = planner::layers_per_part(fair);
  CHECK(by_cost != by_number);
  const LayerCosts costs = planner::layer_costs(even);
  CHECK(costs.layers.size() == 12);
  CHECK(dearest(costs, by_cost) < dearest(costs, by_number));
  std::vector<int64_t> division(4);
  CHECK(dearest(costs, by_cost) == doctest::Approx(least_of_all(costs, division, 0, 12)).epsilon(1e-8));
  CHECK(sample::plan(fair).step->seconds < sample::plan(even).step->seconds);
  CHECK(sample::plan(fair).breakdown->bubble < sample::plan(even).breakdown->bubble);
}

TEST_CASE("a part costs what its stage takes in the plan") {
  const Scenario s = hybrid(kByCost);
  const planner::CostedWorkload costed = planner::cost_workload(s, planner::build_workload(s));
  const std::vector<double> parts = costs_of(planner::layer_costs(s), planner::layers_per_part(s));
  for (size_t stage = 0; stage < parts.size(); ++stage) {
    const auto& sums = costed.classes[static_cast<size_t>(costed.workload.class_of_stage[stage])].sums.time;
    CHECK(sample::near(parts[stage], sums.forward.total() + sums.backward.total() + sums.recompute.total(), 1e-6));
  }
}

TEST_CASE(
    "a written list, one stage, a fixed list of operators and a layout that cannot be: nothing is dealt by cost") {
  CHECK(hybrid(kByCost + Sets{"parallelism.stages=[4, 4, 2, 2]"}).parallelism.stages ==
        std::vector<int64_t>{4, 4, 2, 2});
  CHECK(hybrid(kByCost + Sets{"parallelism.pp=1"}).parallelism.stages.empty());
  CHECK(hybrid(kByCost + Sets{"parallelism.tp=3"}).parallelism.stages.empty());
  CHECK(hybrid({}).parallelism.stages.empty());
}

TEST_CASE("chunks of stages are parts, too") {
  const Scenario s = hybrid(kByCost + Sets{"parallelism.pp=2", "parallelism.interleave=3"});
  CHECK(s.parallelism.stages.size() == 6);
  CHECK(sample::plan(s).feasible);
}
