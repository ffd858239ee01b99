#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {
Vector vector_of(VectorKind kind, double elements, double read, double written) {
  return {kind, elements, {elements * read}, {elements * written}, 1};
}
}  // namespace

// llmcompass {layernorm,softmax,gelu}_fp16_A100.csv, largest sizes; their launch is 30-50 us.
TEST_CASE("vector kernels on A100 take what LLMCompass measured") {
  Machine m = machine(kA100);
  double floor = 40e-6;
  Vector norm = vector_of(VectorKind::normalization, 32768.0 * 4096, 2, 2), softmax = norm;
  norm.width = softmax.width = 4096;
  softmax.kind = VectorKind::softmax;
  CHECK(within(m.seconds(norm) + floor, 32768.0 * 4096 / 385.8e9, 0.1));
  CHECK(within(m.seconds(softmax) + 13e-6, 32768.0 * 4096 / 278.8e9, 0.15));
  CHECK(within(m.seconds(vector_of(VectorKind::activation, 536870912, 2, 2)) + floor, 536870912 / 390.3e9, 0.10));
}

TEST_CASE("a vector kernel is its launch and its traffic, slowed by what the software says") {
  Machine m = machine(kA100);
  m.calibration.vector["elementwise"] = {.efficiency = 0.5};
  Device device = m.device();
  device.launch = {5e-6};
  Vector add = vector_of(VectorKind::elementwise, 1e8, 4, 2);
  double traffic = 6e8 / (0.5 * 2039e9);
  Cost c = cost(add, device);
  CHECK(c.seconds.value == doctest::Approx(5e-6 + traffic));
  CHECK(c.launch.value == 5e-6);
  CHECK(c.bound == Bound::memory);
  device.slowdown = 2;
  CHECK(cost(add, device).seconds.value == doctest::Approx(5e-6 + 2 * traffic));
}

TEST_CASE("a tiny kernel is bound by its launch") {
  Machine m = machine(kH100);
  CHECK(cost(vector_of(VectorKind::elementwise, 100, 4, 2), m.device()).bound == Bound::launch);
}

TEST_CASE("arithmetic beyond the vector unit's rate is bound by compute") {
  Machine m = machine(kV100);
  Vector v = vector_of(VectorKind::activation, 1e9, 2, 2);
  v.flops_per_element = 1000;
  Cost c = cost(v, m.device());
  CHECK(c.bound == Bound::compute);
  CHECK(c.seconds.value == doctest::Approx(c.launch.value + 1e12 / 15.7e12));
}

TEST_CASE("a lookup moves its rows; backward reads them again to add") {
  Machine m = machine(kA100);
  Lookup forward{.rows = 4096, .width = 1024, .bytes_per_element = 2}, backward = forward;
  backward.backward = true;
  CHECK(cost(forward, m.device()).bytes_read == 4096.0 * 1024 * 2);
  CHECK(cost(backward, m.device()).bytes_read == 2 * 4096.0 * 1024 * 2);
  CHECK(m.seconds(backward) > m.seconds(forward));
}

TEST_CASE("an optimizer update moves its bytes and launches its kernels") {
  Machine m = machine(kA100);
  m.calibration.update_efficiency = 0.8;
  Device device = m.device();
  device.launch = {4e-6};
  Update adam{.algorithm = "adam",
              .parameters = 1e9,
              .read_bytes = 16,
              .written_bytes = 14,
              .flops_per_parameter = 12,
              .kernels = 10};
  Cost c = cost(adam, device);
  CHECK(c.seconds.value == doctest::Approx(40e-6 + 30e9 / (0.8 * 2039e9)));
  CHECK(c.flops == 12e9);
  CHECK(c.bytes_read == 16e9);
}

TEST_CASE("an efficiency by row width is that of its knots, and between them") {
  Machine m = machine(kA100);
  m.calibration.vector["softmax"] = {.efficiency = 0.5, .widths = {1024, 4096}, .efficiencies = {0.8, 0.4}};
  Vector v = vector_of(VectorKind::softmax, 1e9, 2, 2);
  const auto efficiency = [&](int64_t width) {
    v.width = width;
    const Cost c = cost(v, m.device());
    return 4e9 / (c.seconds - c.launch).value / 2039e9;
  };
  CHECK(efficiency(0) == doctest::Approx(0.5));  // unknown
  CHECK(efficiency(16) == doctest::Approx(0.8));
  CHECK(efficiency(2048) == doctest::Approx(0.6));
  CHECK(efficiency(1 << 20) == doctest::Approx(0.4));
  m.calibration.vector["softmax"].backward = 0.5;
  v.backward = true;
  CHECK(efficiency(1024) == doctest::Approx(0.4));
}

TEST_CASE("only a call timed by itself pays what the framework takes") {
  Machine m = machine(kA100);
  m.calibration.vector["elementwise"] = {.efficiency = 0.5, .call_base = {10e-6}, .call_least = {30e-6}};
  Vector v = vector_of(VectorKind::elementwise, 1e3, 4, 2);
  const double kernel = m.seconds(v);
  v.called = true;
  CHECK(kernel < 10e-6);
  CHECK(m.seconds(v) == doctest::Approx(30e-6));
  v.read = v.written = {1e9};
  CHECK(m.seconds(v) == doctest::Approx(10e-6 + 2e9 / (0.5 * 2039e9)));
}
