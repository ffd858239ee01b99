#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

struct Measured {
  int64_t m, n, k;
  double microseconds;
};

Gemm gemm(const Measured& row, Precision precision) {
  Gemm g{.m = row.m, .n = row.n, .k = row.k, .precision = precision};
  if (precision == Precision::fp32) g.a_bytes = g.b_bytes = g.c_bytes = 4;
  if (precision == Precision::fp8) g.a_bytes = g.b_bytes = 1;
  return g;
}

/// Checks every row within `each`, and all together within `geomean`.
void check_rows(const MachineNames& names, Precision precision, const std::vector<Measured>& rows, double geomean,
                double each) {
  Machine m = machine(names);
  std::vector<std::pair<double, double>> pairs;
  for (const Measured& row : rows) {
    double predicted = m.seconds(gemm(row, precision)) * 1e6;
    INFO(std::string(names.gpu) << " " << row.m << " x " << row.n << " x " << row.k << ": " << predicted
                                << " us, measured " << row.microseconds);
    CHECK(within(predicted, row.microseconds, each));
    pairs.emplace_back(predicted, row.microseconds);
  }
  CHECK(geomean_error(pairs) <= geomean);
}

}  // namespace

// Drawn at random from the rows with m >= 1024, n >= 1024, k >= 512 and 40 GFLOP; geometric mean of two runs.
TEST_CASE("a GEMM on A100 takes what aiconfigurator measured in bf16") {
  check_rows(kA100, Precision::bf16,
             {{16384, 1024, 2560, 336.47}, {4352, 1536, 1536, 87.252},  {2560, 2048, 2048, 109.36},
              {4352, 2048, 3584, 294.15},  {3584, 2560, 8192, 609.79},  {1536, 3584, 4096, 210.78},
              {1024, 3584, 6144, 245.22},  {3328, 3584, 8192, 832.47},  {2048, 3584, 10240, 654.99},
              {4096, 4096, 2048, 273.39},  {1280, 6144, 16384, 1032},   {1280, 7168, 1536, 144.81},
              {3328, 8192, 768, 189.99},   {2560, 8192, 7168, 1206.3},  {3584, 10240, 2048, 607.45},
              {1792, 16384, 2560, 638.26}, {2560, 16384, 7168, 2350.6}, {4352, 16384, 16384, 9437.4},
              {2304, 16384, 51200, 15702}, {1024, 51200, 512, 247.35},  {32768, 51200, 3584, 49387},
              {3328, 51200, 8192, 10997},  {3584, 51200, 51200, 75302}, {2560, 65536, 1536, 2228.9}},
             0.05, 0.20);
}

TEST_CASE("a GEMM on H100 takes what aiconfigurator measured in bf16") {
  check_rows(kH100, Precision::bf16,
             {{4096, 1024, 4096, 45.219},  {1280, 1024, 16384, 61.404}, {3072, 1024, 51200, 401.17},
              {2048, 1536, 16384, 123.35}, {2816, 2048, 6144, 91.968},  {1792, 2560, 2560, 35.327},
              {3072, 2560, 65536, 1416.2}, {8192, 3584, 2048, 159.19},  {32768, 4096, 8192, 3321},
              {2816, 6144, 4096, 177.05},  {4096, 6144, 4096, 262.19},  {2816, 6144, 10240, 420.56},
              {3584, 7168, 1024, 75.545},  {2560, 7168, 2560, 123.84},  {2816, 7168, 2560, 157.35},
              {2560, 8192, 8192, 439.57},  {4096, 10240, 3584, 399.13}, {4352, 16384, 8192, 1613.3},
              {2816, 16384, 51200, 6068},  {32768, 51200, 6144, 27446}, {1536, 51200, 65536, 13394},
              {16384, 65536, 4096, 12632}, {3584, 65536, 6144, 3776.9}, {3072, 65536, 16384, 8442.3}},
             0.07, 0.22);
}

TEST_CASE("a GEMM on B200 takes what aiconfigurator measured in bf16") {
  check_rows(kB200, Precision::bf16,
             {{32768, 1536, 2048, 158.49},  {1280, 1536, 65536, 182.61}, {1024, 2048, 8192, 29.353},
              {4352, 2560, 8192, 155.48},   {4352, 2560, 51200, 916.78}, {3328, 3584, 65536, 1172.6},
              {4096, 4096, 4096, 100.38},   {1536, 4096, 10240, 98.626}, {2816, 4096, 10240, 200.74},
              {2304, 4096, 16384, 198.98},  {4096, 4096, 65536, 1559.8}, {1536, 7168, 2048, 39.006},
              {3840, 7168, 7168, 302.69},   {3840, 8192, 768, 40.4},     {1536, 8192, 2560, 45.179},
              {2304, 8192, 2560, 63.899},   {2816, 8192, 4096, 135.7},   {3840, 8192, 16384, 808.64},
              {16384, 10240, 512, 154.83},  {1280, 10240, 2560, 49.182}, {4352, 10240, 10240, 683.49},
              {4096, 16384, 16384, 1458.6}, {2304, 51200, 3584, 516.6},  {2560, 65536, 8192, 1654.5}},
             0.10, 0.35);
}

// simumax a100_pcie_matmul.csv: forward (TN), data gradient (NN), weight gradient (NT, added into fp32).
TEST_CASE("the training GEMMs of an A100 PCIe take what SimuMax measured") {
  check_rows(kA100Pcie, Precision::bf16,
             {{4096, 1536, 5120, 262.15},
              {4096, 5120, 12288, 2140.5},
              {33024, 7168, 4096, 8301.2},
              {4096, 14336, 8192, 4092.4}},
             0.06, 0.14);
}

// deepbench gemm_v100.csv, DGX-1.
TEST_CASE("a GEMM on V100 takes what DeepBench measured in fp16 and fp32") {
  check_rows(kV100, Precision::fp16, {{8448, 48000, 2816, 21220}, {6144, 24000, 2048, 5687}, {7680, 24000, 2560, 9005}},
             0.04, 0.08);
  check_rows(
      kV100, Precision::fp32,
      {{2048, 7000, 2048, 4604}, {4096, 7133, 4096, 16512}, {5124, 9124, 2048, 14039}, {6144, 24000, 2048, 45941}},
      0.06, 0.12);
}

// aiconfigurator gemm_fp8_h100_sxm80.csv less its dynamic cast (2.3 ps per element of A and 11 us).
TEST_CASE("an fp8 GEMM on H100 is 1.4 to 2 times as fast as in bf16") {
  Machine m = machine(kH100);
  Gemm wide = gemm({8192, 8192, 8192, 0}, Precision::bf16), narrow = gemm({8192, 8192, 8192, 0}, Precision::fp8);
  double gain = m.seconds(wide) / m.seconds(narrow);
  CHECK(gain > 1.4);
  CHECK(gain < 2.0);
}

TEST_CASE("a cast timed together with a GEMM is paid by the tables that hold it, never by a plan") {
  Machine m = machine(kH100);
  GemmCalibration& row = m.calibration.gemm.at("fp8");
  row.cast_base = {1e-6};
  row.cast_row = {8e-9};
  row.cast = {2e-12};
  Device plain = m.device(), table = m.device();
  table.casts = true;
  for (const char* model : {"table", "wave", "roofline"})
    for (int64_t k : {1000, 8000}) {
      const Gemm op = gemm({3000, 500, k, 0}, Precision::fp8);
      const double paid = 1e-6 + 3000 * std::max(8e-9, 2e-12 * static_cast<double>(k));
      const ModelChoice choice{{"gemm", model}};
      CHECK(cost(op, table, choice).seconds.value - cost(op, plain, choice).seconds.value == doctest::Approx(paid));
    }
}

TEST_CASE("one tile more than a wave holds costs a good part of a second wave") {
  Machine m = machine(kA100);
  m.calibration.gemm["bf16"] = {
      .compute_efficiency = 0.8, .tile_m = {128}, .tile_n = {128}, .tile_efficiency = {1}, .tail = 1};
  Gemm one{.m = 128 * 108, .n = 128, .k = 8192}, two{.m = 128 * 108 + 1, .n = 128, .k = 8192};
  Cost full = cost(one, m.device()), over = cost(two, m.device());
  CHECK(full.waves == 1);
  CHECK(full.occupancy == 1);
  CHECK(over.occupancy < 0.8);
  CHECK(over.seconds / full.seconds > 1.2);
}

TEST_CASE("a GEMM with few tiles and a long k is split in k") {
  Machine m = machine(kA100);
  Cost c = cost(Gemm{.m = 256, .n = 256, .k = 65536}, m.device());
  CHECK(c.workgroups >= 16);
  CHECK(c.bound == Bound::compute);
}

TEST_CASE("bytes count A and B once, and C twice where it is added to") {
  Machine m = machine(kA100);
  Gemm g{.batch = 2, .m = 3, .n = 5, .k = 7, .a_bytes = 2, .b_bytes = 2, .c_bytes = 4};
  Cost c = cost(g, m.device());
  CHECK(c.flops == 2 * 2 * 3 * 5 * 7);
  CHECK(c.bytes_read == 2 * (3 * 7 + 7 * 5) * 2);
  CHECK(c.bytes_written == 2 * 3 * 5 * 4);
  g.accumulate = true;
  CHECK(cost(g, m.device()).bytes_read == c.bytes_read + c.bytes_written);
}

TEST_CASE("a score GEMM of unfused attention is bound by memory and far from the peak") {
  Machine m = machine(kA100);
  Cost c = cost(Gemm{.batch = 96, .m = 2048, .n = 2048, .k = 128, .precision = Precision::fp16}, m.device());
  double share = c.flops / c.seconds.value / 312e12;
  CHECK(share > 0.25);  // aiconfigurator 16384 x 16384 x 128 and neighbours: 0.25-0.45
  CHECK(share < 0.5);
}

TEST_CASE("a precision without a row of its own is priced by its neighbour and says so") {
  Machine m = machine(kA100);
  Gemm g{.m = 4096, .n = 4096, .k = 4096, .precision = Precision::tf32, .a_bytes = 4, .b_bytes = 4, .c_bytes = 4};
  CHECK(cost(g, m.device()).provenance == Provenance::assumed);
  g.precision = Precision::bf16;
  CHECK(cost(g, m.device()).provenance == Provenance::interpolated);
  m.calibration = {};
  CHECK(cost(g, m.device()).provenance == Provenance::assumed);
  CHECK(cost(g, m.device()).seconds.value > 0);
}

TEST_CASE("the roofline model is the larger of compute and memory time, and launch") {
  Machine m = machine(kA100);
  m.calibration.gemm["bf16"] = {.roofline_efficiency = 0.5, .memory_efficiency = 1};
  Device device = m.device();
  device.launch = {1e-6};
  Cost big = cost(Gemm{.m = 8192, .n = 8192, .k = 8192}, device, {{"gemm", "roofline"}});
  CHECK(big.seconds.value == doctest::Approx(1e-6 + 2.0 * 8192 * 8192 * 8192 / (0.5 * 312e12)));
  Cost thin = cost(Gemm{.m = 8192, .n = 8192, .k = 1}, device, {{"gemm", "roofline"}});
  CHECK(thin.seconds.value == doctest::Approx(1e-6 + 2.0 * (2 * 8192 + 8192.0 * 8192) / 2039e9));
  CHECK(thin.bound == Bound::memory);
}

// pytorch.org/blog/accelerating-large-language-models: 113 and 87 ms a batch of nanoGPT with a vocabulary of 50257 and
// of 50304 on A100; its head has three GEMMs.
TEST_CASE("rows that are no multiple of 16 bytes take three times as long, and say that it is assumed") {
  const Machine m = machine(kA100);
  const auto head = [&](int64_t vocab, bool unaligned) {
    double sum = 0;
    for (const auto& [rows, columns, k, pass] :
         {std::tuple{12288L, vocab, 768L, GemmPass::forward}, std::tuple{12288L, 768L, vocab, GemmPass::dgrad},
          std::tuple{vocab, 768L, 12288L, GemmPass::wgrad}})
      sum += m.seconds(Gemm{.m = rows, .n = columns, .k = k, .pass = pass, .unaligned = unaligned});
    return sum;
  };
  CHECK(within(head(50257, true) - head(50304, false), 26e-3, 0.1));
  Gemm odd{.m = 4096, .n = 50257, .k = 4096};
  for (const char* model : {"wave", "table", "roofline"}) {
    const auto priced = [&](bool unaligned) {
      odd.unaligned = unaligned;
      return cost(odd, m.device(), {{"gemm", model}});
    };
    CHECK(priced(true).seconds.value > 2.5 * priced(false).seconds.value);
    CHECK(priced(true).provenance == Provenance::assumed);
    CHECK(priced(false).provenance != Provenance::assumed);
  }
}
