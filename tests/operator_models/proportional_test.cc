// Times in proportion to FLOP (Pati 2024, section 5.3.2), and who picks the model of an operator.
#include "planner/resolve/read.h"
#include "tests/operator_models/devices.h"
#include "tests/planner/sample.h"

using operator_models::Attention;
using operator_models::Cost;
using operator_models::Gemm;
using operator_models::ModelChoice;
using operator_models::Operator;
using test::Machine;

namespace {

const ModelChoice kProportional{{"gemm", "proportional"}, {"attention", "proportional"}};

Gemm product(int64_t m, int64_t n, int64_t k, int64_t batch = 1) { return {.batch = batch, .m = m, .n = n, .k = k}; }
Attention square(int64_t sequence, bool backward = false) {
  return {.kernel = "flash2",
          .batch = 2,
          .heads = 16,
          .kv_heads = 16,
          .queries = sequence,
          .keys = sequence,
          .head_dim = 128,
          .causal = false,
          .backward = backward};
}

/// Seconds past the launch.
double work(const Machine& m, const Operator& op, const operator_models::Share& share = {}) {
  const Cost c = operator_models::cost(op, m.device(), kProportional, share);
  CHECK(std::string(c.model) == "proportional");
  CHECK(c.launch.value > 0);
  return (c.seconds - c.launch).value;
}

TEST_CASE("a GEMM takes its FLOP at one rate, whatever its shape") {
  const Machine m = test::machine(test::kA100);
  const double whole = work(m, product(4096, 4096, 4096));
  for (const Gemm& same : {product(16, 4096, 1 << 20), product(4097 - 1, 64, 1 << 18), product(512, 512, 4096, 64)})
    CHECK(work(m, same) == doctest::Approx(whole).epsilon(1e-12));
  for (const int64_t parts : {2, 3, 7, 1000})
    CHECK(work(m, product(4096, 4096, 4096, parts)) == doctest::Approx(static_cast<double>(parts) * whole));
  CHECK(work(m, product(1, 1, 1)) == doctest::Approx(whole / std::pow(4096.0, 3)).epsilon(1e-3));
}

TEST_CASE("that rate is the calibration's share of the peak") {
  Machine m = test::machine(test::kA100);
  const double flops = 2.0 * 8192 * 8192 * 8192;
  const double before = work(m, product(8192, 8192, 8192));
  CHECK(flops / before < 312e12);
  for (auto& [precision, row] : m.calibration.gemm) row.roofline_efficiency /= 2;
  CHECK(work(m, product(8192, 8192, 8192)) == doctest::Approx(2 * before));
  CHECK(work(m, product(8192, 8192, 8192), {.compute_units = 0.5}) == doctest::Approx(4 * before));
}

TEST_CASE("fused attention takes its FLOP at one rate, forward and backward each their own") {
  const Machine m = test::machine(test::kA100);
  for (const bool backward : {false, true}) {
    const double whole = work(m, square(2048, backward));
    CHECK(work(m, square(8192, backward)) == doctest::Approx(16 * whole));
    CHECK(work(m, square(256, backward)) == doctest::Approx(whole / 64));
    Attention narrow = square(2048, backward);
    narrow.head_dim = 32;
    CHECK(work(m, narrow) == doctest::Approx(whole / 4));
  }
  const auto& row = m.calibration.attention.at("flash2");
  CHECK(work(m, square(2048, true)) / work(m, square(2048)) == doctest::Approx(2.5 * row.forward / row.backward));
}

TEST_CASE("nothing to do takes no time") {
  const Machine m = test::machine(test::kA100);
  CHECK(operator_models::cost(product(0, 64, 64), m.device(), kProportional).seconds.value == 0);
  CHECK(operator_models::cost(square(0), m.device(), kProportional).seconds.value == 0);
}

constexpr const char* kFlat = R"(
model: {layers: 2, hidden: 1024, heads: 16, vocab: 1024}
job: {sequence: 1024, global_batch: 8, precision: fp16}
cluster: {use: mi210-flat-ring, gpus: 8}
software: {use: pati-fused}
)";

TEST_CASE("a calibration picks the models that its figures are for, unless the scenario does") {
  const auto picked = [](const sample::Sets& sets) { return sample::scenario(kFlat, sets).operator_models; };
  CHECK(picked({}) == ModelChoice{{"gemm", "proportional"}, {"attention", "proportional"}});
  CHECK(picked({"operator_models.gemm=wave"}) == ModelChoice{{"gemm", "wave"}, {"attention", "proportional"}});
  CHECK(picked({"cluster.gpu.calibration.models.attention=fused"}).at("attention") == "fused");
  CHECK(sample::gpt().operator_models.empty());
}

TEST_CASE("a model that nobody knows is told at its place") {
  for (const char* place : {"operator_models.gemm=", "cluster.gpu.calibration.models.gemm="}) {
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    sources.push_back({.name = "test.yaml", .text = kFlat});
    const std::string set = std::string(place) + "proportionl";
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    CHECK(!planner::read_scenario(sources.front(), {{set}}, catalog, sources, diagnostics));
    REQUIRE(diagnostics.list.size() == 1);
    const std::string told = dsl::render(diagnostics.list.front());
    CAPTURE(told);
    CHECK(told.find("no gemm model is called 'proportionl'; known: table, wave, roofline, proportional") !=
          std::string::npos);
    CHECK(told.find("did you mean 'proportional'?") != std::string::npos);
    CHECK(told.find(place) != std::string::npos);
  }
}

}  // namespace
