#include "operator_models/calibrate/baseline_fit.h"
#include "operator_models/calibrate/score.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;

namespace {

/// A device with round figures: 10 TFLOP/s in fp32, 1 TB/s, 100 GB/s between GPUs.
operator_models::Machine round_machine() {
  operator_models::Machine m;
  m.gpu.name = "round";
  m.gpu.flops.fp32 = {10e12};
  m.gpu.vector_flops = {10e12};
  m.gpu.memory_bandwidth = {1e12};
  m.gpu.compute_units = 100;
  m.network = {{.name = "link", .size = 8, .bandwidth = {100e9}}, {.name = "net", .size = 0, .bandwidth = {10e9}}};
  return m;
}

Sample gemm_sample(int64_t m, int64_t n, int64_t k, double seconds, bool base) {
  Gemm g{.m = m, .n = n, .k = k, .precision = Precision::fp32};
  g.a_bytes = g.b_bytes = g.c_bytes = 4;
  Sample s{.op = g, .seconds = seconds};
  s.values = {std::to_string(m)};
  s.base = base;
  return s;
}

const ModelChoice kBaseline{{"gemm", "baseline"}, {"vector", "baseline"}, {"collective", "baseline"}};

double seconds_on(const operator_models::Machine& m, const Calibration& calibration, const Operator& op) {
  return cost(op, device_of(m, calibration), kBaseline).seconds.value;
}

}  // namespace

TEST_CASE("a base operator is met exactly, and scaled by its work") {
  const operator_models::Machine m = round_machine();
  SampleSet set{{"m"}, {gemm_sample(4096, 4096, 4096, 20e-3, true)}, 0};
  Vector norm{.kind = VectorKind::normalization, .elements = 1e8, .read = {4e8}, .written = {4e8}};
  set.samples.push_back({.op = norm, .seconds = 1e-3, .values = {""}, .base = true});
  set.samples.push_back(
      {.op = Collective{.bytes = {64e6}, .group = {4, {4}}}, .seconds = 2e-3, .values = {""}, .base = true});
  const Calibration c = fit_baseline(set, m).calibration;
  REQUIRE(c.baseline.operators.size() == 3);

  CHECK(seconds_on(m, c, std::get<Gemm>(set.samples[0].op)) == doctest::Approx(20e-3));
  Gemm wide = std::get<Gemm>(set.samples[0].op);
  wide.n *= 3;
  CHECK(seconds_on(m, c, wide) == doctest::Approx(60e-3));
  norm.read = {2e8}, norm.written = {2e8};
  CHECK(seconds_on(m, c, norm) == doctest::Approx(0.5e-3));
  // 2 (n-1)/n: 8 ranks send 1.75 of the buffer, four 1.5.
  CHECK(seconds_on(m, c, Collective{.bytes = {64e6}, .group = {8, {8}}}) == doctest::Approx(2e-3 * 1.75 / 1.5));
}

TEST_CASE("another device changes a base operator by the resource that limits it") {
  const operator_models::Machine base = round_machine();
  SampleSet set{{"m"}, {gemm_sample(4096, 4096, 4096, 20e-3, true)}, 0};
  Vector norm{.kind = VectorKind::normalization, .elements = 1e8, .read = {4e8}, .written = {4e8}};
  set.samples.push_back({.op = norm, .seconds = 1e-3, .values = {""}, .base = true});
  set.samples.push_back(
      {.op = Collective{.bytes = {64e6}, .group = {4, {4}}}, .seconds = 2e-3, .values = {""}, .base = true});
  const Calibration c = fit_baseline(set, base).calibration;

  operator_models::Machine faster = base;
  faster.gpu.flops.fp32 = {40e12};
  CHECK(seconds_on(faster, c, set.samples[0].op) == doctest::Approx(5e-3));
  CHECK(seconds_on(faster, c, norm) == doctest::Approx(1e-3));
  faster.gpu.memory_bandwidth = {2e12};
  CHECK(seconds_on(faster, c, set.samples[0].op) == doctest::Approx(5e-3));
  CHECK(seconds_on(faster, c, norm) == doctest::Approx(0.5e-3));
  faster.network[0].bandwidth = {200e9};
  CHECK(seconds_on(faster, c, set.samples[2].op) == doctest::Approx(1e-3));
  // Two nodes of two: one NIC of 10 GB/s for each rank, twenty together against a link of 100.
  CHECK(seconds_on(base, c, Collective{.bytes = {64e6}, .group = {4, {2, 4}}}) == doctest::Approx(10e-3));
}

TEST_CASE("of several base operators the nearest in shape is taken, a batch for a batch") {
  const operator_models::Machine m = round_machine();
  SampleSet set{{"m"}, {gemm_sample(4096, 4096, 4096, 20e-3, true), gemm_sample(512, 512, 64, 1e-3, true)}, 0};
  std::get<Gemm>(set.samples[1].op).batch = 128;
  const Calibration c = fit_baseline(set, m).calibration;
  Gemm scores = std::get<Gemm>(set.samples[1].op);
  scores.batch = 256;
  CHECK(seconds_on(m, c, scores) == doctest::Approx(2e-3));
  CHECK(seconds_on(m, c, gemm_sample(4096, 8192, 4096, 0, false).op) == doctest::Approx(40e-3));
}

TEST_CASE("without a base of its kind an operator keeps its default model") {
  const operator_models::Machine m = round_machine();
  const Operator op = gemm_sample(4096, 4096, 4096, 0, false).op;
  const Cost c = cost(op, device_of(m, m.calibration), kBaseline);
  CHECK(std::string(c.model) != "baseline");
  CHECK(c.seconds.value > 0);
}

TEST_CASE("a base that does not fill the device is warned of") {
  const operator_models::Machine m = round_machine();
  const SampleSet small{{"m"}, {gemm_sample(128, 128, 128, 20e-6, true)}, 0};
  REQUIRE(fit_baseline(small, m).warnings.size() == 1);
  CHECK(fit_baseline(small, m).warnings[0].find("do not fill the device") != std::string::npos);
  const SampleSet large{{"m"}, {gemm_sample(8192, 8192, 8192, 200e-3, true)}, 0};
  CHECK(fit_baseline(large, m).warnings.empty());
}

TEST_CASE("what is projected never counts in the base, and its spread becomes the standard error") {
  const operator_models::Machine m = round_machine();
  // 30 % slower and faster than by the work.
  const SampleSet set{{"m"},
                      {gemm_sample(4096, 4096, 4096, 20e-3, true), gemm_sample(8192, 4096, 4096, 52e-3, false),
                       gemm_sample(2048, 4096, 4096, 7.692e-3, false)},
                      0};
  const Fitted fitted = fit_baseline(set, m);
  CHECK(fitted.calibration.baseline.operators.size() == 1);
  CHECK(fitted.calibration.baseline.relative_error == doctest::Approx(std::log(1.3)).epsilon(0.01));
}
