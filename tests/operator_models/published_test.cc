// Published rates of single operators, on parts that have no table of their own, against their calibrations.
#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "planner/scenario/scenario.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

struct PublishedRate {
  const char* gpu;
  Precision precision;
  int64_t m, n, k;
  double measured, tolerance;  // TFLOP/s
};

double operand_bytes(Precision p) { return p == Precision::nvfp4 ? 0.5625 : p == Precision::fp8 ? 1 : 2; }

/// `bursts`: short runs; false: the sustained rate in a step.
double tflops(const CalibratedGpu& read, const Gemm& op, bool bursts = true) {
  const std::vector<hw_profiles::Tier> network{{"nvlink", 8, {900e9}, {0.6e-6}, 1, hw_profiles::InNetwork::none}};
  const Cost c = cost(op, {&read.gpu, &network, &read.calibration, {}, bursts, 1});
  return c.flops / c.seconds.value / 1e12;
}

double tflops(const CalibratedGpu& read, const PublishedRate& r, bool bursts = true) {
  const double bytes = operand_bytes(r.precision);
  return tflops(read, {.m = r.m, .n = r.n, .k = r.k, .precision = r.precision, .a_bytes = bytes, .b_bytes = bytes},
                bursts);
}

/// nccl-tests' bus bandwidth of an all-reduce in GB/s inside one domain of `size` ranks.
double all_reduce_busbw(const char* gpu, const hw_profiles::Tier& tier, double bytes) {
  const CalibratedGpu read = read_gpu(gpu);
  const std::vector<hw_profiles::Tier> network{tier};
  const Collective op{CollectiveKind::all_reduce, {bytes}, {tier.size, {tier.size}}};
  const double n = static_cast<double>(tier.size);
  return bytes * 2 * (n - 1) / n / cost(op, {&read.gpu, &network, &read.calibration, {}, true, 1}).seconds.value / 1e9;
}

}  // namespace

// Sources: the comments of the rows.
TEST_CASE("GEMMs reach the rates that were published for the part") {
  using enum Precision;
  for (const PublishedRate& r : {PublishedRate{"mi210", fp16, 8192, 8192, 8192, 116.8, 0.05},
                                 {"mi210", fp16, 1024, 12288, 12288, 113.8, 0.05},
                                 {"mi210", fp32, 4096, 8192, 1024, 32.9, 0.15},
                                 {"vega-fe-16gb", fp32, 4096, 7133, 4096, 9.7, 0.15},
                                 {"mi300x-192gb", bf16, 10240, 15360, 8192, 668, 0.06},
                                 {"mi300x-192gb", fp8, 32768, 1536, 5120, 1268, 0.1},
                                 {"mi355x-288gb", bf16, 8192, 8192, 8192, 1597, 0.15},
                                 {"mi355x-288gb", fp8, 8192, 8192, 28672, 2972, 0.15},
                                 {"tpu-v7-ironwood", bf16, 16384, 16384, 16384, 1900, 0.03},
                                 {"h100-pcie-80gb", bf16, 6912, 16384, 2048, 499.5, 0.12},
                                 {"h100-nvl-94gb", bf16, 2560, 2176, 8192, 488.5, 0.06},
                                 {"gh200-96gb", bf16, 7616, 17664, 4480, 852.5, 0.1},
                                 {"h20-96gb", bf16, 10240, 10240, 10240, 141.9, 0.06},
                                 {"rtx-4090", bf16, 10240, 10240, 10240, 167, 0.1},
                                 {"rtx-pro-6000", bf16, 8192, 8192, 8192, 417, 0.03},
                                 {"rtx-pro-6000", bf16, 2048, 2048, 2048, 257, 0.06},
                                 {"gaudi2-96gb", bf16, 20224, 19968, 11520, 429, 0.08}}) {
    const double predicted = tflops(read_gpu(r.gpu), r);
    INFO(std::string(r.gpu) << " " << hw_profiles::name(r.precision) << " " << r.m << " x " << r.n << " x " << r.k
                            << ": " << predicted << ", published " << r.measured);
    CHECK(within(predicted, r.measured, r.tolerance));
  }
}

// Azure AI-benchmarking-guide, after 10,000 warm-ups; Transformer Engine's gemm_profiling page.
TEST_CASE("GEMMs of a step hold the rates that saturated runs were published with") {
  using enum Precision;
  for (const PublishedRate& r : {PublishedRate{"gb200-186gb", fp8, 8192, 8192, 8192, 2877, 0.03},
                                 {"gb200-186gb", fp8, 6144, 12288, 12288, 2896, 0.05},
                                 {"gb300-288gb", fp8, 8192, 8192, 8192, 3286, 0.03},
                                 {"b300-288gb", bf16, 15872, 12288, 4096, 1504, 0.03},
                                 {"b300-288gb", fp8, 15872, 16384, 4096, 2961, 0.08},
                                 {"b300-288gb", nvfp4, 15872, 16384, 4096, 5094, 0.05}}) {
    const double predicted = tflops(read_gpu(r.gpu), r, false);
    INFO(std::string(r.gpu) << " " << hw_profiles::name(r.precision) << ": " << predicted << ", published "
                            << r.measured);
    CHECK(within(predicted, r.measured, r.tolerance));
  }
}

TEST_CASE("an all-reduce reaches the bus bandwidth that was published for the part") {
  const hw_profiles::Tier fabric{"infinity-fabric", 8, {448e9}, {0.7e-6}, 1, hw_profiles::InNetwork::none};
  const hw_profiles::Tier rack{"nvlink", 72, {900e9}, {0.6e-6}, 1, hw_profiles::InNetwork::all_reduce};
  const hw_profiles::Tier four{"nvlink", 4, {900e9}, {0.6e-6}, 1, hw_profiles::InNetwork::none};
  CHECK(within(all_reduce_busbw("mi300x-192gb", fabric, 16 << 20), 196, 0.12));
  CHECK(within(all_reduce_busbw("mi300x-192gb", fabric, 256 << 20), 305, 0.04));
  CHECK(within(all_reduce_busbw("gb200-186gb", rack, 1LL << 30), 681, 0.08));
  CHECK(within(all_reduce_busbw("gb200-186gb", rack, 8LL << 30), 840, 0.04));
  CHECK(within(all_reduce_busbw("gb300-288gb", four, 8e9), 680, 0.03));
}

TEST_CASE("no accelerator passes the peak of a precision it has, and none stays below a fifth of it") {
  for (const std::string& name :
       dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, "accelerator")) {
    const CalibratedGpu read = read_gpu(name);
    for (Precision p : {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8,
                        Precision::mxfp8, Precision::nvfp4}) {
      if (!read.gpu.flops.at(p)) continue;
      const double share =
          tflops(read, Gemm{.m = 8192, .n = 8192, .k = 8192, .precision = p}) * 1e12 / read.gpu.flops.at(p)->value;
      INFO(name << " " << hw_profiles::name(p) << " " << share);
      CHECK(share < 1);
      CHECK(share > 0.2);
    }
  }
}
