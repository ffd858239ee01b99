// What differs between two scenarios, and moving it.
#include "planner/studies/whatif/differing.h"

#include <doctest/doctest.h>

#include "tests/planner/sample.h"

using planner::DifferenceUnit;
using planner::LoadedScenario;
using planner::Scenario;
using sample::Sets;

namespace {

LoadedScenario llama(const Sets& sets = {}) { return sample::load(sample::kLlama, sets); }

std::vector<std::string> causes(const LoadedScenario& a, const LoadedScenario& b) {
  std::vector<std::string> out;
  for (const DifferenceUnit& unit : planner::differing(a, b)) out.push_back(unit.cause);
  return out;
}

DifferenceUnit only(const LoadedScenario& a, const LoadedScenario& b) {
  const std::vector<DifferenceUnit> units = planner::differing(a, b);
  REQUIRE(units.size() == 1);
  return units.front();
}

/// A scenario with one unit of the other.
Scenario moved(const LoadedScenario& a, const LoadedScenario& b, size_t unit = 0) {
  Scenario s = a.scenario;
  planner::differing(a, b).at(unit).take(s, b);
  return s;
}

}  // namespace

TEST_CASE("a field moves with its value, there and back") {
  const struct {
    const char *path, *value;
    bool (*has)(const Scenario&);
  } rows[] = {
      {"job.global_batch", "32", [](const Scenario& s) { return s.job.global_batch == 32; }},
      {"job.optimizer", "sgd", [](const Scenario& s) { return s.job.optimizer == planner::Optimizer::sgd; }},
      {"job.tokens", "1e9", [](const Scenario& s) { return s.job.tokens == 1000000000; }},
      {"cluster.network[1].latency", "7 us",
       [](const Scenario& s) { return s.cluster.network[1].latency.value == 7e-6; }},
      {"parallelism.sequence_parallel", "true", [](const Scenario& s) { return s.parallelism.sequence_parallel; }},
      {"parallelism.stages", "[3, 5]", [](const Scenario& s) { return s.parallelism.stages.size() == 2; }},
      {"parallelism.order", "tp-dp-cp-ep-pp",
       [](const Scenario& s) { return s.parallelism.order == "tp-dp-cp-ep-pp"; }},
      {"software.fusion.rope", "false", [](const Scenario& s) { return !s.software.fusion.rope; }},
      {"operator_models.gemm", "roofline", [](const Scenario& s) { return s.operator_models.contains("gemm"); }},
  };
  const LoadedScenario a = llama();
  for (const auto& row : rows) {
    CAPTURE(row.path);
    const LoadedScenario b = llama({std::string(row.path) + "=" + row.value});
    CHECK(only(a, b).cause == row.path);
    CHECK(row.has(moved(a, b)));
    CHECK(!row.has(a.scenario));
    Scenario back = b.scenario;
    only(b, a).take(back, a);
    CHECK(sample::plan(back).step->seconds == sample::plan(a.scenario).step->seconds);
  }
}

TEST_CASE("what follows from rates is no difference of its own: the generation, and what fits are of") {
  for (const char* set : {"cluster.gpu.memory_bandwidth=1 TB/s", "cluster.gpu.flops.bf16=1 PFLOP/s"})
    CHECK(causes(llama(), llama({set})).size() == 1);
}

TEST_CASE("values are told in short") {
  const LoadedScenario a = llama(), b = llama({"job.tokens=1e9", "cluster.gpu.memory_bandwidth=1 TB/s"});
  const std::vector<DifferenceUnit> units = planner::differing(a, b);
  REQUIRE(units.size() == 2);
  CHECK(units[0].a == "-");
  CHECK(units[0].b == "1000000000");
  CHECK(units[1].a == "2039 GB/s");
  const DifferenceUnit stages = only(llama(), llama({"parallelism.stages=[1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]"}));
  CHECK(stages.b.size() <= 24);
  CHECK(stages.b.ends_with("..."));
}

TEST_CASE("sections move as a whole where their entry is another") {
  const LoadedScenario a = llama();
  const LoadedScenario model = llama({"model={use: gpt3-1.3b}"}), machine = llama({"cluster={use: dgx-h100, gpus: 8}"});
  CHECK(causes(a, model).front() == "model");
  CHECK(moved(a, model).model.hidden == model.scenario.model.hidden);
  const std::vector<std::string> found = causes(a, machine);
  REQUIRE(found.size() >= 2);
  CHECK(found[0] == "cluster.network");
  CHECK(found[1] == "cluster.gpu");
  const Scenario network = moved(a, machine, 0), gpu = moved(a, machine, 1);
  CHECK(network.cluster.network[0].bandwidth.value == machine.scenario.cluster.network[0].bandwidth.value);
  CHECK(network.cluster.gpu.name == a.scenario.cluster.gpu.name);
  CHECK(gpu.cluster.network[0].bandwidth.value == a.scenario.cluster.network[0].bandwidth.value);
  CHECK(gpu.cluster.gpu.name == machine.scenario.cluster.gpu.name);
  // Collectives stay with the network that they were measured on.
  const auto efficiency = [](const Scenario& s) { return s.calibration.collective.at("nvlink-all-reduce").efficiency; };
  CHECK(efficiency(gpu) == efficiency(a.scenario));
  CHECK(efficiency(network) == efficiency(machine.scenario));
  CHECK(gpu.calibration.gemm.size() == machine.scenario.calibration.gemm.size());
}

TEST_CASE("a list or table of another length moves its section") {
  const LoadedScenario a = llama();
  const LoadedScenario tiers = llama({"cluster.network=[{name: nvlink, size: 8, bandwidth: 300 GB/s, latency: 2 us}]"});
  CHECK(causes(a, tiers) == std::vector<std::string>{"cluster.network"});
  CHECK(moved(a, tiers).cluster.network.size() == 1);
  CHECK(moved(tiers, a).cluster.network.size() == 2);
}

TEST_CASE("names, conditions and goals are no differences") {
  CHECK(causes(llama(), llama({"where=[\"step < 1 h\"]", "goal={minimize: step, deadline: 9 d, budget: 9 USD}"}))
            .empty());
  CHECK(causes(llama(), llama({"model.name=mine"})) == std::vector<std::string>{});
}

TEST_CASE("followers move with what they follow") {
  const LoadedScenario a = llama(), wide = llama({"job.precision=fp32"});
  CHECK(only(a, wide).cause == "job.precision");
  CHECK(moved(a, wide).software.memory.weight == 4);
  const LoadedScenario longer = llama({"job.sequence=4096"});
  CHECK(moved(a, longer).job.document == 4096);
  const LoadedScenario more = llama({"cluster.gpus=16"});
  CHECK(only(a, more).cause == "cluster.gpus");
  CHECK(moved(a, more).parallelism.dp == 16);
  CHECK(moved(a, more).parallelism.zero_group == 16);
  // A degree that the scenario writes itself stays a difference.
  CHECK(causes(llama({"parallelism.dp=8"}), llama({"cluster.gpus=16", "parallelism.dp=16"})).size() == 2);
}
