// GEMMs that start together as one operator: what it counts, what an H100 was measured to gain, and its limits.
#include "operator_models/concurrent_gemms.h"

#include <doctest/doctest.h>

#include "operator_models/models.h"
#include "tests/operator_models/measured_text.h"

using namespace operator_models;

namespace {

Gemm dgrad_of(int64_t tokens, int64_t inputs, int64_t outputs) {
  return {.m = tokens, .n = inputs, .k = outputs, .a_bytes = 2, .b_bytes = 2, .c_bytes = 2, .pass = GemmPass::dgrad};
}

struct H100 {
  operator_models::Machine machine = test::machine_of("h100-sxm-80gb", 8);
  Cost of(const ConcurrentGemms& op, const char* policy = "default") const {
    return cost(op, device_of(machine, machine.calibration), {{"concurrent-gemm", policy}});
  }
};

}  // namespace

TEST_CASE("both gradients of a layer are of one size, and each has its operands") {
  const Gemm dgrad = dgrad_of(2048, 1024, 4096), wgrad = wgrad_beside(dgrad);
  CHECK(wgrad.m == 4096);
  CHECK(wgrad.n == 1024);
  CHECK(wgrad.k == 2048);
  CHECK(wgrad.pass == GemmPass::wgrad);
  CHECK(dgrad.m * dgrad.n * dgrad.k == wgrad.m * wgrad.n * wgrad.k);
  const std::vector<Gemm> alike = gemms_of({.gemm = dgrad, .at_once = 3});
  CHECK(alike.size() == 3);
  CHECK(alike.back().pass == GemmPass::dgrad);
}

TEST_CASE("several count so many times what one does, and a pair what both do") {
  const H100 gpu;
  const ConcurrentGemms one{.gemm = dgrad_of(512, 1024, 1024)};
  for (const int64_t n : {2, 4, 16}) {
    const Cost c = gpu.of({.gemm = one.gemm, .at_once = n});
    CHECK(c.flops == doctest::Approx(static_cast<double>(n) * gpu.of(one).flops));
    CHECK(c.bytes_read == doctest::Approx(static_cast<double>(n) * gpu.of(one).bytes_read));
    CHECK(c.at_once == n);
    CHECK(c.seconds.value < static_cast<double>(n) * gpu.of(one).seconds.value);
    CHECK(c.seconds.value > gpu.of(one).seconds.value);
  }
  const Cost pair = gpu.of({.gemm = one.gemm, .at_once = 2, .both_gradients = true});
  CHECK(pair.flops == doctest::Approx(2 * gpu.of(one).flops));
}

TEST_CASE("small GEMMs gain on an H100, large ones of more than a wave next to nothing") {
  const H100 gpu;
  const double small = gpu.of({.gemm = dgrad_of(512, 512, 512), .at_once = 16}).gain;
  const double large = gpu.of({.gemm = dgrad_of(2048, 4096, 4096), .at_once = 2}).gain;
  CHECK(small > 1.3);  // 1.9 measured
  CHECK(large > 0.99);
  CHECK(large < 1.05);  // 1.01 to 1.03 measured
}

TEST_CASE("what was measured of one alone takes the place of what its model says; the clock falls after a burst") {
  H100 gpu;
  const ConcurrentGemms two{.gemm = dgrad_of(512, 1024, 1024), .at_once = 2};
  ConcurrentGemms known = two;
  known.alone_seconds = 3 * gpu.of({.gemm = two.gemm}).seconds.value;
  CHECK(gpu.of(known).seconds.value > 2 * gpu.of(two).seconds.value);
  ConcurrentGemms longer = two;
  longer.alone_seconds = 2e-3;
  const double falling = gpu.of(longer).seconds.value;
  gpu.machine.calibration.concurrency.burst = dsl::Seconds{0};
  CHECK(falling > gpu.of(longer).seconds.value);
}

TEST_CASE("a ramp is paid once by one GEMM, and shared by those under way") {
  H100 gpu;
  ConcurrencyCalibration& row = gpu.machine.calibration.concurrency;
  row.burst = dsl::Seconds{0};
  const ConcurrentGemms several{.gemm = dgrad_of(512, 512, 512), .at_once = 8, .alone_seconds = 1e-5};
  double before = 0;
  for (const double ramp : {0.0, 1e-6, 4e-6}) {
    row.ramp = dsl::Seconds{ramp};
    const double gain = gpu.of(several).gain;
    CHECK(gain > before);
    CHECK(gain < 8);
    before = gain;
  }
}
