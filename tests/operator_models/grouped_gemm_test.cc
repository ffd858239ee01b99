// Experts of a rank in one kernel.
#include "operator_models/gemm.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

Gemm experts(int64_t held, int64_t rows, int64_t columns, int64_t depth) {
  return {.batch = held, .m = rows, .n = columns, .k = depth, .grouped = true};
}

double seconds(const Machine& m, const Gemm& op) { return cost(op, m.device()).seconds.value; }

/// Every figure round: 100 units at 1 TFLOP/s each and 1 TB/s, no launch.
Machine plain() {
  Machine m = machine(kB200);
  m.gpu.compute_units = 100;
  m.gpu.flops.at(Precision::bf16) = dsl::FlopsPerSecond{100e12};
  m.gpu.memory_bandwidth = dsl::BytesPerSecond{1e12};
  m.calibration.launch = dsl::Seconds{1e-12};
  m.calibration.gemm["bf16"].sustained = 1;
  m.calibration.grouped = {
      {"bf16", {.efficiency = 0.5, .k_overhead = 1, .memory_efficiency = 0.5, .ramp = {0}, .relative_error = 0.1}}};
  return m;
}

}  // namespace

TEST_CASE("tiles of one expert only, in whole waves") {
  const Machine m = plain();
  // 10 experts of 129 rows: two tiles of rows, 20 of columns, 400 in all or four waves of 100.
  const double wave = 2.0 * 128 * 128 * 4096 / 0.5e12;
  CHECK(seconds(m, experts(10, 129, 2560, 4096)) == doctest::Approx(4 * wave).epsilon(0.01));
  CHECK(seconds(m, experts(10, 256, 2560, 4096)) == doctest::Approx(4 * wave).epsilon(0.01));
  CHECK(seconds(m, experts(10, 128, 2560, 4096)) == doctest::Approx(2 * wave).epsilon(0.02));
}

TEST_CASE("few rows take what the weights take to read, and the ramp") {
  Machine m = plain();
  const double bytes = 64.0 * 2 * (1 * 4096.0 + 4096.0 * 4096 + 1 * 4096);
  m.gpu.flops.at(Precision::bf16) = dsl::FlopsPerSecond{1e18};
  CHECK(seconds(m, experts(64, 1, 4096, 4096)) == doctest::Approx(bytes / 0.5e12).epsilon(0.01));
  m.calibration.grouped.at("bf16").ramp = dsl::Seconds{1e-3};
  CHECK(seconds(m, experts(64, 1, 4096, 4096)) == doctest::Approx(bytes / 0.5e12 + 1e-3).epsilon(0.01));
}

TEST_CASE("a shallow tile takes as long as one of k_overhead") {
  Machine m = plain();
  m.calibration.grouped.at("bf16").k_overhead = 4096;
  m.gpu.memory_bandwidth = dsl::BytesPerSecond{1e18};
  CHECK(seconds(m, experts(10, 256, 2560, 64)) ==
        doctest::Approx(seconds(m, experts(10, 256, 2560, 512))).epsilon(0.01));
}

TEST_CASE("a table's layer is both GEMMs and what it times beside, in proportion to the copies") {
  Machine m = plain();
  GroupedCalibration& row = m.calibration.grouped.at("bf16");
  row.layer_base = {1e-3};
  row.layer_sort = {2e-3};
  row.layer_copy = {1e-6};
  row.layer_efficiency = 4;
  Gemm op = experts(8, 512, 2048, 1024);
  const double first = seconds(m, op), second = seconds(m, experts(8, 512, 1024, 1024));
  op.layer = {.ffn = 1024, .tokens = 2048, .top_k = 2};
  const double beside = seconds(m, op) - first - second;
  const double bytes = 2 * 2048 * 1024.0 * 2 + 4096 * (1024.0 * 4 + 2048 * 2 + 1024 * 2);
  CHECK(beside == doctest::Approx(3e-3 + 4096e-6 + bytes / 4e12).epsilon(1e-3));
}

TEST_CASE("a single expert, and parts without such a row, are priced as before") {
  Machine m = machine(kB200);
  Gemm one = experts(1, 4096, 4096, 4096), many = experts(8, 4096, 4096, 4096);
  CHECK(seconds(m, one) == cost(Gemm{.m = 4096, .n = 4096, .k = 4096}, m.device()).seconds.value);
  m.calibration.grouped.clear();
  CHECK(seconds(m, many) == cost(Gemm{.batch = 8, .m = 4096, .n = 4096, .k = 4096}, m.device()).seconds.value);
}

TEST_CASE("more rows, columns, depth or experts are never faster") {
  const Machine m = machine(kB200);
  double last = 0;
  for (int64_t rows = 1; rows < 20'000; rows += rows / 16 + 1) {
    const double now = seconds(m, experts(16, rows, 1536, 2048));
    CHECK(now >= last);
    last = now;
  }
  const double base = seconds(m, experts(16, 300, 1536, 2048));
  CHECK(seconds(m, experts(17, 300, 1536, 2048)) >= base);
  CHECK(seconds(m, experts(16, 300, 1600, 2048)) >= base);
  CHECK(seconds(m, experts(16, 300, 1536, 2112)) >= base);
}

TEST_CASE("experts in a step are no faster than what power leaves of a dense GEMM") {
  Machine m = plain();
  GemmCalibration& dense = m.calibration.gemm["bf16"];
  dense.compute_efficiency = 0.8;
  const Gemm op = experts(8, 4096, 4096, 4096);
  const double alone = seconds(m, op);  // 0.5 of the peak
  dense.sustained = 1.5;
  CHECK(seconds(m, op) == alone);
  dense.sustained = 0.25;
  CHECK(seconds(m, op) == doctest::Approx(alone * 0.5 / 0.2).epsilon(0.01));
}
