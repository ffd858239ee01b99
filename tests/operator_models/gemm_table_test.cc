// The `table` model of a GEMM: corrections on a grid, the waves outside it.
#include "operator_models/gemm.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

const ModelChoice kWave{{"gemm", "wave"}}, kTable{{"gemm", "table"}};

double seconds(const Machine& m, int64_t rows, int64_t columns, int64_t depth, const ModelChoice& choice = kTable) {
  return cost(Gemm{.m = rows, .n = columns, .k = depth}, m.device(), choice).seconds.value;
}

/// From 1 to past the last node, 32 sizes an octave.
std::vector<int64_t> fine(int64_t from, int64_t to) {
  std::vector<int64_t> sizes;
  for (double x = static_cast<double>(from); x <= static_cast<double>(to); x *= 1.022)
    if (sizes.empty() || sizes.back() < static_cast<int64_t>(x)) sizes.push_back(static_cast<int64_t>(x));
  return sizes;
}

/// Two nodes a dimension, every factor `factor`.
Machine flat(double factor) {
  Machine m = machine(kA100);
  GemmCalibration& row = m.calibration.gemm["bf16"];
  row.table_m = row.table_n = row.table_k = {256, 4096};
  row.table.assign(8, factor);
  return m;
}

}  // namespace

TEST_CASE("the shipped tables never make more work faster") {
  for (const MachineNames& names : {kA100, kH100, kB200}) {
    const Machine m = machine(names);
    REQUIRE(has_table(*gemm_row(m.calibration, Precision::bf16).row));
    const std::vector<int64_t> others{32, 200, 1024, 5000, 65536};
    for (int64_t a : others)
      for (int64_t b : others)
        for (int axis = 0; axis < 3; ++axis) {
          double before = 0;
          for (int64_t x : fine(axis == 0 ? 1 : 32, axis == 0 ? 32768 : 65536)) {
            const int64_t rows = std::min<int64_t>(a, 32768);
            const double now = axis == 0   ? seconds(m, x, a, b)
                               : axis == 1 ? seconds(m, rows, x, b)
                                           : seconds(m, rows, b, x);
            INFO(std::string(names.gpu) << " axis " << axis << " at " << x << " beside " << a << " and " << b);
            CHECK(now >= before * (1 - 0.01));
            before = now;
          }
        }
  }
}

TEST_CASE("far outside its nodes, in batches and without one, a table is the waves") {
  const Machine m = flat(1.5);
  CHECK(seconds(m, 63, 1024, 1024) == seconds(m, 63, 1024, 1024, kWave));
  CHECK(seconds(m, 1024, 1024, 16384) == seconds(m, 1024, 1024, 16384, kWave));
  const Gemm batched{.batch = 8, .m = 1024, .n = 1024, .k = 1024};
  CHECK(cost(batched, m.device(), kTable).seconds == cost(batched, m.device(), kWave).seconds);
  Machine none = m;
  none.calibration.gemm["bf16"].table.clear();
  CHECK(seconds(none, 1024, 1024, 1024) == seconds(none, 1024, 1024, 1024, kWave));
}

TEST_CASE("a table goes over into the waves without a jump") {
  const Machine m = flat(1.5);
  const std::vector<int64_t> sizes = fine(4000, 20000);
  for (size_t i = 1; i < sizes.size(); ++i) {
    const double table = seconds(m, 1024, 1024, sizes[i]) / seconds(m, 1024, 1024, sizes[i - 1]);
    CHECK(std::abs(std::log(table)) < 0.06);  // a step of 2.2 %, and its share of the fading
  }
}

TEST_CASE("a factor of a table multiplies the kernel, not its launch") {
  const Machine one = flat(1), two = flat(2);
  const double launch = one.calibration.launch.value;
  CHECK(seconds(two, 1000, 1000, 1000) - launch == doctest::Approx(2 * (seconds(one, 1000, 1000, 1000) - launch)));
}

TEST_CASE("the gradients' layouts take their factors") {
  Machine m = machine(kA100);
  m.calibration.gemm["bf16"].wgrad = 1.1;
  Gemm g{.m = 4096, .n = 4096, .k = 4096};
  const double launch = m.calibration.launch.value, forward = m.seconds(g) - launch;
  g.pass = GemmPass::wgrad;
  CHECK(m.seconds(g) - launch == doctest::Approx(1.1 * forward));
}
