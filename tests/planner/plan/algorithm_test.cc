// Counts of compute against communication, by hand for blocks that the closed forms of chapter 5 do not cover.
#include "planner/plan/algorithm.h"

#include <doctest/doctest.h>

#include "tests/planner/workload/lower/mixtures.h"

namespace {

using planner::Algorithm;
using planner::Scenario;
using planner::SlackRow;
using sample::Sets;
using sample::operator+;

Algorithm count(const Scenario& s) { return planner::count_algorithm(s, sample::workload(s)); }

/// The small LLaMA of sample.h: 4 heads of 64 for keys and values beside 16 for queries, three matrices in the MLP.
constexpr double kHidden = 1024, kSequence = 2048, kLayers = 8;
constexpr double kAttention = 6 * 16 * kSequence * kSequence * (64 + 64);  // two products forward, four backward
constexpr double kMatrices = kHidden * (kHidden + 2 * 4 * 64) + kHidden * kHidden + 3 * kHidden * 2816;
constexpr double kLayer = 6 * kSequence * kMatrices + kAttention;

TEST_CASE("gated MLP and grouped heads: six FLOP per weight and token, attention by the heads of queries") {
  for (const double tp : {1.0, 2.0, 4.0}) {
    const Algorithm a = count(sample::llama({mixtures::set("parallelism.tp", static_cast<int64_t>(tp))}));
    const double microbatches = 64 / (8 / tp);
    CHECK(a.compute_flops == doctest::Approx(kLayers * microbatches * kLayer / tp).epsilon(1e-12));
    const double blocked = tp > 1 ? kLayers * microbatches * 4 * kSequence * kHidden * 2 : 0;
    CHECK(a.serialized_bytes == doctest::Approx(blocked).epsilon(1e-12));
    CHECK(a.edge_order == (kHidden + kSequence) / tp);
  }
}

TEST_CASE("a window shortens the keys, not the matrices") {
  const double whole = count(sample::llama()).compute_flops;
  const double band = count(sample::llama({"model.window.size=512"})).compute_flops;
  CHECK(whole - band == doctest::Approx(kLayers * 8 * kAttention * (1 - 512 / kSequence)).epsilon(1e-12));
  CHECK(count(sample::llama({"model.window.size=4096"})).compute_flops == whole);
}

TEST_CASE("a fused kernel does the same products as the kernels that it replaces") {
  for (const char* tp : {"parallelism.tp=2", "parallelism.tp=8"}) {
    const Algorithm fused = count(sample::gpt({tp, "software.attention=flash2"}));
    const Algorithm apart = count(sample::gpt({tp, "software.attention=unfused"}));
    CHECK(fused.compute_flops == doctest::Approx(apart.compute_flops).epsilon(1e-12));
    CHECK(*fused.edge_flops_per_byte == doctest::Approx(*apart.edge_flops_per_byte).epsilon(1e-12));
  }
}

TEST_CASE("recompute repeats products that the counts leave out") {
  const Algorithm plain = count(sample::gpt({"parallelism.tp=4"}));
  const Algorithm again = count(sample::gpt({"parallelism.tp=4", "parallelism.recompute=full"}));
  CHECK(again.compute_flops == doctest::Approx(plain.compute_flops).epsilon(1e-12));
  CHECK(again.serialized_bytes == doctest::Approx(plain.serialized_bytes).epsilon(1e-12));
}

TEST_CASE("a forward-only job does a third of the products and half of the all-reduces") {
  const Algorithm train = count(sample::llama({"parallelism.tp=4"}));
  const Algorithm forward = count(sample::llama({"parallelism.tp=4", "job.phase=forward"}));
  CHECK(forward.compute_flops == doctest::Approx(train.compute_flops / 3).epsilon(1e-12));
  CHECK(forward.serialized_bytes == doctest::Approx(train.serialized_bytes / 2).epsilon(1e-12));
  CHECK(forward.layers.empty());
}

TEST_CASE("the slack of an expert's matrix is that of its own tokens") {
  const Algorithm a = count(mixtures::mixture());
  const double routed = mixtures::kTokens * mixtures::kTopK / mixtures::kExperts;
  int experts = 0;
  for (const SlackRow& r : a.layers) {
    CAPTURE(r.name);
    const bool prefixed = r.name.find('/') != std::string::npos;
    CHECK(prefixed);  // dense layers and layers with experts
    const double slack = r.slack_flops_per_byte();
    CHECK((slack == doctest::Approx(2 * mixtures::kTokens) || slack == doctest::Approx(2 * routed)));
    experts += slack < 2 * mixtures::kTokens * 0.99 ? 1 : 0;
  }
  CHECK(experts >= 2);
}

TEST_CASE("tokens sent to experts block the layers; without expert parallelism nothing does") {
  CHECK(!count(mixtures::mixture()).edge_flops_per_byte);
  const Algorithm spread = count(mixtures::mixture({"parallelism.ep=8"}));
  REQUIRE(spread.edge_flops_per_byte);
  CHECK(*spread.edge_flops_per_byte * spread.serialized_bytes == doctest::Approx(spread.compute_flops));
  CHECK(spread.compute_flops == doctest::Approx(count(mixtures::mixture()).compute_flops));
}

TEST_CASE("frozen matrices have no slack: what LoRA trains are its adapters") {
  const Algorithm a = count(sample::llama({"job.lora.rank=8", "job.lora.targets=all"}));
  REQUIRE(!a.layers.empty());
  for (const SlackRow& r : a.layers) CHECK_MESSAGE(r.name.find("lora") != std::string::npos, r.name);
  CHECK(a.compute_flops < count(sample::llama()).compute_flops);
}

TEST_CASE("of a pipeline the stage with most layers counts") {
  const Scenario even = sample::llama({"parallelism.pp=4"});
  const Scenario uneven = sample::llama({"parallelism={pp: 4, stages: [1, 2, 3, 2]}"});
  const planner::Workload w = sample::workload(uneven);
  CHECK(w.classes[planner::fullest_class(w)].layers == 3);
  CHECK(count(uneven).compute_flops == doctest::Approx(count(even).compute_flops * 3 / 2).epsilon(1e-12));
  CHECK(count(even).compute_flops == doctest::Approx(2 * 32 * kLayer).epsilon(1e-12));
}

TEST_CASE("tensor parallelism by size grows with the parameters and falls with the memory") {
  Scenario s = sample::llama();
  const double base = planner::required_tp(s);
  const double memory = s.cluster.gpu.memory.value / (16.0 * 1073741824);
  CHECK(base == doctest::Approx(8 * planner::parameters(s.model) / 3.9e9 / memory));
  CHECK(planner::required_tp(s, {.tp = 16}) == doctest::Approx(2 * base));
  s.cluster.gpu.memory.value *= 4;
  CHECK(planner::required_tp(s) == doctest::Approx(base / 4));
}

TEST_CASE("a model that no degree fits has none; one that fits a GPU needs no tensor parallelism") {
  Scenario s = sample::llama({"parallelism.tp=2", "parallelism.pp=2"});
  CHECK(planner::fitting_tp(s) == 1);
  s.cluster.gpu.memory.value = 1e6;
  CHECK(!planner::fitting_tp(s));
}

}  // namespace
