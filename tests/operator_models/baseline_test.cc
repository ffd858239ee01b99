#include "operator_models/calibrate/fits.h"
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

const ModelChoice kBaseline{
    {"gemm", "baseline"}, {"vector", "baseline"}, {"lookup", "baseline"}, {"collective", "baseline"}};
const ModelChoice kModels{{"collective", "alpha-beta"}};

double seconds_on(const operator_models::Machine& m, const Calibration& calibration, const Operator& op) {
  return cost(op, device_of(m, calibration), kBaseline).seconds.value;
}

/// What the models that the projection takes its ratio from say.
double model_on(const operator_models::Machine& m, const Operator& op) {
  return cost(op, device_of(m, m.calibration), kModels).seconds.value;
}

Vector norm_of(double bytes, int64_t width) {
  return {.kind = VectorKind::normalization,
          .elements = bytes / 8,
          .read = {bytes / 2},
          .written = {bytes / 2},
          .width = width};
}

Sample base_sample(const Operator& op, double seconds) {
  return {.op = op, .seconds = seconds, .values = {""}, .base = true};
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
  CHECK(seconds_on(m, c, norm) == doctest::Approx(1e-3));
  norm.read = {2e8}, norm.written = {2e8};
  // A launch of 4 us does not shrink with the bytes, which go at 0.75 of 1 TB/s.
  const double traffic = 8e8 / 0.75e12;
  CHECK(seconds_on(m, c, norm) == doctest::Approx(1e-3 * (4e-6 + traffic / 2) / (4e-6 + traffic)));
  const Collective eight{.bytes = {64e6}, .group = {8, {8}}};
  CHECK(seconds_on(m, c, set.samples[2].op) == doctest::Approx(2e-3));
  CHECK(seconds_on(m, c, eight) == doctest::Approx(2e-3 * model_on(m, eight) / model_on(m, set.samples[2].op)));
}

TEST_CASE("a norm of other rows runs at the bandwidth of their width") {
  operator_models::Machine m = round_machine();
  m.calibration.launch = {0};
  m.calibration.vector["normalization"] = {.efficiency = 0.5, .widths = {1024, 4096}, .efficiencies = {0.8, 0.4}};
  SampleSet set{{"m"}, {base_sample(norm_of(8e8, 1024), 3e-3)}, 0};
  Calibration c = fit_baseline(set, m).calibration;
  CHECK(seconds_on(m, c, norm_of(16e8, 1024)) == doctest::Approx(6e-3));
  CHECK(seconds_on(m, c, norm_of(8e8, 4096)) == doctest::Approx(6e-3));
  CHECK(seconds_on(m, c, norm_of(8e8, 2048)) == doctest::Approx(4e-3));
  // Measured at both widths: the nearer one.
  set.samples.push_back(base_sample(norm_of(8e8, 4096), 5e-3));
  c = fit_baseline(set, m).calibration;
  CHECK(seconds_on(m, c, norm_of(16e8, 4096)) == doctest::Approx(10e-3));
  // A backward kernel is projected from a forward one only if no backward kernel was measured.
  Vector back = norm_of(8e8, 4096);
  back.backward = true;
  CHECK(seconds_on(m, c, back) == doctest::Approx(5e-3));
  set.samples.push_back(base_sample(back, 9e-3));
  CHECK(seconds_on(m, fit_baseline(set, m).calibration, back) == doctest::Approx(9e-3));
}

TEST_CASE("a base without a width says nothing of widths") {
  operator_models::Machine m = round_machine();
  m.calibration.launch = {0};
  m.calibration.vector["softmax"] = {.efficiency = 0.5, .widths = {1024, 4096}, .efficiencies = {0.8, 0.4}};
  Vector softmax = norm_of(8e8, 1024);
  softmax.kind = VectorKind::softmax;
  const Calibration c = fit_baseline({{"m"}, {base_sample(softmax, 3e-3)}, 0}, m).calibration;
  softmax.width = 4096;
  CHECK(seconds_on(m, c, softmax) == doctest::Approx(3e-3));
}

TEST_CASE("what a base's call or another software adds is not projected") {
  operator_models::Machine m = round_machine();
  m.calibration.launch = {0};
  m.calibration.vector["normalization"] = {.efficiency = 0.8, .call_base = {1e-3}, .call_least = {1e-3}};
  Vector called = norm_of(8e8, 0);
  called.called = true;  // 1 ms and 1 ms of traffic
  const Calibration c = fit_baseline({{"m"}, {base_sample(called, 4e-3)}, 0}, m).calibration;
  CHECK(seconds_on(m, c, called) == doctest::Approx(4e-3));
  CHECK(seconds_on(m, c, norm_of(8e8, 0)) == doctest::Approx(2e-3));
  Device unfused = device_of(m, c);
  unfused.slowdown = 1.5;
  CHECK(cost(norm_of(8e8, 0), unfused, kBaseline).seconds.value == doctest::Approx(3e-3));
}

TEST_CASE("a lookup is projected by its rows") {
  operator_models::Machine m = round_machine();
  m.calibration.launch = {0};
  const Lookup rows{.rows = 4096, .width = 1024, .bytes_per_element = 4};
  const Calibration c = fit_baseline({{"m"}, {base_sample(rows, 1e-3)}, 0}, m).calibration;
  Lookup twice = rows;
  twice.rows *= 2;
  CHECK(seconds_on(m, c, rows) == doctest::Approx(1e-3));
  CHECK(seconds_on(m, c, twice) == doctest::Approx(2e-3));
}

TEST_CASE("a link that saturates late is not charged in proportion to the message") {
  operator_models::Machine m = round_machine();
  m.calibration.collective["link"] = {.efficiency = 1, .base = {0}, .step = {0}, .half_size = {64e6}};
  const Collective large{.bytes = {64e6}, .group = {4, {4}}};
  Collective small = large;
  small.bytes = {16e6};
  const Calibration c = fit_baseline({{"m"}, {base_sample(large, 4e-3)}, 0}, m).calibration;
  // bytes (1 + sqrt(half_size / bytes)): 64 MB twice its share of the bandwidth, 16 MB three times.
  CHECK(seconds_on(m, c, small) == doctest::Approx(4e-3 * (16.0 * 3) / (64.0 * 2)));
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
  const double traffic = 8e8 / 0.75e12;
  CHECK(seconds_on(faster, c, norm) == doctest::Approx(1e-3 * (4e-6 + traffic / 2) / (4e-6 + traffic)));
  faster.network[0].bandwidth = {200e9};
  const Operator& four = set.samples[2].op;
  CHECK(seconds_on(faster, c, four) == doctest::Approx(2e-3 * model_on(faster, four) / model_on(base, four)));
  // Two nodes of two: the adapters between the nodes, against the links inside one.
  const Collective apart{.bytes = {64e6}, .group = {4, {2, 4}}};
  CHECK(seconds_on(base, c, apart) == doctest::Approx(2e-3 * model_on(base, apart) / model_on(base, four)));
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
