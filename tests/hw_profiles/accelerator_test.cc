// Accelerators of the catalogue: each reads, and its figures are of the right order and rank.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "dsl/catalog.h"
#include "hw_profiles/types.h"
#include "tests/operator_models/devices.h"
#include "tests/planner/sample.h"

using hw_profiles::Accelerator;
using hw_profiles::Precision;
using sample::near;

namespace {

std::vector<std::string> names() {
  return dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, "accelerator");
}

double peak(const Accelerator& a, Precision p) { return a.flops.at(p) ? a.flops.at(p)->value : 0; }

/// The peak of the 16-bit format that every accelerator has.
double half(const Accelerator& a) { return a.flops.fp16 ? a.flops.fp16->value : peak(a, Precision::bf16); }

/// Many small units; TPU and Gaudi have two large ones.
bool is_gpu(const Accelerator& a) { return a.compute_units > 8; }

bool between(double low, double x, double high) { return low <= x && x <= high; }

constexpr double kGiB = 1024.0 * 1024 * 1024;

}  // namespace

TEST_CASE("every accelerator reads under its own name, with its calibration") {
  CHECK(names().size() >= 47);
  for (const std::string& name : names()) {
    CAPTURE(name);
    const test::CalibratedGpu read = test::read_gpu(name);
    CHECK(read.gpu.name == name);
    CHECK_FALSE(read.calibration.name.empty());
    CHECK(read.calibration.launch.value > 0);
  }
}

TEST_CASE("peaks are dense: each narrower precision at most twice the wider, none above what the clock allows") {
  for (const std::string& name : names()) {
    CAPTURE(name);
    const Accelerator a = test::read_gpu(name).gpu;
    CHECK(half(a) >= peak(a, Precision::fp32));
    // The first matrix cores that AMD gave bf16 run it at half the rate.
    if (a.flops.bf16 && a.flops.fp16)
      CHECK(peak(a, Precision::bf16) == peak(a, Precision::fp16) * (name == "mi100-32gb" ? 0.5 : 1));
    if (a.flops.tf32) {
      // Trainium takes TF32 at the rate of bf16.
      CHECK(near((name == "trainium2" ? 1 : 2) * peak(a, Precision::tf32), half(a), 0.03));
      CHECK(peak(a, Precision::tf32) >= peak(a, Precision::fp32));
    }
    // TPUs up to v6e have no units of their own for fp8, Gaudi 3's run it at the rate of bf16; a sparse figure would be
    // four times bf16.
    const bool same_rate =
        std::set<std::string>{"tpuv4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "gaudi3-128gb"}.contains(name);
    if (a.flops.fp8) CHECK(near(peak(a, Precision::fp8), (same_rate ? 1 : 2) * half(a), 0.03));
    if (a.flops.mxfp8) CHECK(peak(a, Precision::mxfp8) == peak(a, Precision::fp8));
    // GeForce halves every rate whose sums are FP32, but not that of FP4.
    if (a.flops.nvfp4)
      CHECK(between(2, peak(a, Precision::nvfp4) / peak(a, Precision::fp8), name == "rtx-5090" ? 4 : 3));
    if (is_gpu(a))
      CHECK(between(120, a.vector_flops.value / static_cast<double>(a.compute_units) / a.clock.value, 310));
    CHECK(a.vector_flops.value <= half(a));
  }
}

// FLOP of one unit in one cycle in 16 bits, from the architecture papers: a sparse peak is twice these, a peak at
// another clock is off by the clock.
TEST_CASE("16-bit peaks are units times clock times what a unit of the generation does in a cycle") {
  const std::vector<std::pair<const char*, double>> generations{{"v100", 1024},
                                                                {"gv100", 1024},
                                                                {"t3-gpu", 1024},
                                                                {"a100", 2048},
                                                                {"a800", 2048},
                                                                {"l40s", 1024},
                                                                {"l40-", 512},
                                                                {"l4-", 1024},
                                                                {"t4", 1024},
                                                                {"a10g", 512},
                                                                {"a40", 1024},
                                                                {"rtx-a6000", 1024},
                                                                {"rtx-3090", 512},
                                                                {"h100", 4096},
                                                                {"h200", 4096},
                                                                {"h800", 4096},
                                                                {"h20-", 1024},
                                                                {"gh200", 4096},
                                                                {"b200", 8192},
                                                                {"b300", 8192},
                                                                {"gb200", 8192},
                                                                {"gb300", 8192},
                                                                {"vega-fe", 256},
                                                                {"mi50", 256},
                                                                {"mi100", 1024},
                                                                {"mi210", 1024},
                                                                {"mi250", 1024},
                                                                {"mi300x", 2048},
                                                                {"mi325x", 2048},
                                                                {"mi355x", 4096},
                                                                {"tpuv4", 4 * 2 * 128 * 128},
                                                                {"tpu-v5p", 4 * 2 * 128 * 128},
                                                                {"tpu-v5e", 4 * 2 * 128 * 128},
                                                                {"tpu-v6e", 4 * 2 * 256 * 256},
                                                                {"tpu-v7", 4 * 2 * 256 * 256},
                                                                {"gaudi2", 2 * 256 * 256},
                                                                {"gaudi3", 2 * 256 * 256},
                                                                {"trainium2", 2 * 128 * 128},
                                                                {"rtx-4090", 512},
                                                                {"rtx-5090", 512},
                                                                {"rtx-6000-ada", 1024},
                                                                {"rtx-pro-6000", 1024}};
  for (const std::string& name : names()) {
    CAPTURE(name);
    const Accelerator a = test::read_gpu(name).gpu;
    const auto row =
        std::find_if(generations.begin(), generations.end(), [&](const auto& g) { return name.starts_with(g.first); });
    if (row == generations.end()) continue;  // a new generation of chips: a row here would hold it to its figure
    // Datasheets quote Blackwell's peaks up to 9 % below its highest clock.
    CHECK(near(half(a) / static_cast<double>(a.compute_units) / a.clock.value, row->second, 0.1));
  }
}

TEST_CASE("figures that datasheets print") {
  struct Printed {
    const char* name;
    double half, fp8, bandwidth, watts;  // TFLOP/s, TFLOP/s, GB/s
  };
  for (const Printed& p : {Printed{"gb200-186gb", 2500, 5000, 8000, 1200},
                           {"gb300-288gb", 2500, 5000, 8000, 1400},
                           {"b300-288gb", 2250, 4500, 8000, 1100},
                           {"h800-80gb", 989, 1979, 3350, 700},
                           {"h100-pcie-80gb", 756, 1513, 2039, 350},
                           {"h100-nvl-94gb", 835, 1671, 3900, 400},
                           {"h20-96gb", 148, 296, 4000, 500},
                           {"h20-141gb", 148, 296, 4800, 500},
                           {"gh200-96gb", 990, 1979, 4000, 900},
                           {"gh200-144gb", 990, 1979, 4900, 900},
                           {"rtx-4090", 165.2, 330.3, 1008, 450},
                           {"rtx-5090", 209.5, 419, 1792, 575},
                           {"rtx-6000-ada", 364.2, 728.5, 960, 300},
                           {"rtx-pro-6000", 503.8, 1007.6, 1597, 600},
                           {"l40s-48gb", 362, 733, 864, 350},
                           {"l40-48gb", 181.05, 362, 864, 300},
                           {"l4-24gb", 121, 242.5, 300, 72},
                           {"t4-16gb", 65, 0, 320, 70},
                           {"a10g-24gb", 70, 0, 600, 300},
                           {"a40-48gb", 149.7, 0, 696, 300},
                           {"rtx-a6000", 154.8, 0, 768, 300},
                           {"rtx-3090", 71, 0, 936, 350},
                           {"gv100-32gb", 118.5, 0, 870, 250},
                           {"vega-fe-16gb", 26.2, 0, 483, 300},
                           {"mi50-32gb", 26.5, 0, 1024, 300},
                           {"mi100-32gb", 184.6, 0, 1229, 300},
                           {"mi210", 181, 0, 1638, 300},
                           {"mi250-128gb", 362.1, 0, 3277, 560},
                           {"mi250x-128gb", 383, 0, 3277, 560},
                           {"mi300x-192gb", 1307, 2615, 5300, 750},
                           {"mi325x-256gb", 1307, 2615, 6000, 1000},
                           {"mi355x-288gb", 2517, 5033, 8000, 1400},
                           {"tpuv4", 275, 275, 1200, 192},
                           {"tpu-v5p", 459, 459, 2765, 540},
                           {"tpu-v7-ironwood", 2307, 4614, 7380, 1000},
                           {"tpu-v5e", 197, 197, 819, 200},
                           {"tpu-v6e", 918, 918, 1640, 560},
                           {"trainium2", 667, 1299, 2900, 500},
                           {"gaudi3-128gb", 1835, 1835, 3670, 900},
                           {"gaudi2-96gb", 432, 865, 2460, 600}}) {
    CAPTURE(p.name);
    const Accelerator a = test::read_gpu(p.name).gpu;
    CHECK(near(half(a), p.half * 1e12, 0.005));
    CHECK(near(peak(a, Precision::fp8), p.fp8 * 1e12, 0.005));
    CHECK(near(a.memory_bandwidth.value, p.bandwidth * 1e9, 0.01));
    CHECK(a.power.value == p.watts);
  }
}

TEST_CASE("Blackwell Ultra has half as much again in 4 bits, and nothing wider") {
  const std::pair<const char*, const char*> pairs[] = {{"gb200-186gb", "gb300-288gb"}, {"b200-180gb", "b300-288gb"}};
  for (const auto& [one, ultra] : pairs) {
    const Accelerator a = test::read_gpu(one).gpu, b = test::read_gpu(ultra).gpu;
    CHECK(near(peak(b, Precision::nvfp4), 1.5 * peak(a, Precision::nvfp4), 0.001));
    for (Precision p : {Precision::fp32, Precision::bf16, Precision::fp8, Precision::mxfp8})
      CHECK(peak(a, p) == peak(b, p));
    CHECK(b.power.value > a.power.value);
  }
}

TEST_CASE("a package of two dies is two MI210, a few compute units apart") {
  const Accelerator die = test::read_gpu("mi210").gpu;
  for (const char* name : {"mi250-128gb", "mi250x-128gb"}) {
    const Accelerator package = test::read_gpu(name).gpu;
    const double units = static_cast<double>(package.compute_units) / static_cast<double>(die.compute_units);
    CHECK(between(2, units, 2.2));
    CHECK(near(half(package), units * half(die), 0.005));
    CHECK(package.memory.value == 2 * die.memory.value);
    CHECK(package.memory_bandwidth.value == 2 * die.memory_bandwidth.value);
  }
}

TEST_CASE("a die of an MI250X is half its package") {
  const Accelerator die = test::read_gpu("mi250x-gcd").gpu, package = test::read_gpu("mi250x-128gb").gpu;
  CHECK(2 * half(die) == half(package));
  CHECK(2 * die.vector_flops.value == package.vector_flops.value);
  CHECK(2 * die.compute_units == package.compute_units);
  CHECK(2 * die.memory.value == package.memory.value);
  CHECK(2 * die.memory_bandwidth.value == package.memory_bandwidth.value);
  CHECK(2 * die.cache.value == package.cache.value);
  CHECK(2 * die.power.value == package.power.value);
}

TEST_CASE("memories, caches, clocks and power are of the right order") {
  for (const std::string& name : names()) {
    CAPTURE(name);
    const Accelerator a = test::read_gpu(name).gpu;
    CHECK(between(15 * kGiB, a.memory.value, 300 * kGiB));
    // The L4 and T4 are cards for inference, at the power of a slot.
    const bool is_small = a.family == "l4" || a.family == "t4";
    CHECK(between(is_small ? 0.3e12 : 0.48e12, a.memory_bandwidth.value, 10e12));
    CHECK(between(4 * kGiB / 1024, a.cache.value, 300 * kGiB / 1024));
    CHECK(between(1e9, a.clock.value, 2.65e9));
    CHECK(between(is_small ? 70 : 150, a.power.value, 1500));
    CHECK((!is_gpu(a) || between(is_small ? 40 : 60, static_cast<double>(a.compute_units), 310)));
    // FLOP per byte at the ridge of the roofline: from 117 (RTX 5090) to 560 (TPU v6e), a fourth without matrix
    // engines; H20 was cut in these and not in memory, and GeForce of Ampere halves them.
    const bool cut = a.family == "h20" || a.family == "rtx-3090";
    CHECK(between(half(a) > 50e12 && !cut ? 100 : 25, half(a) / a.memory_bandwidth.value, 600));
  }
}

TEST_CASE("the memory in a name is what the driver shows, within a tenth") {
  for (const std::string& name : names()) {
    CAPTURE(name);
    const size_t end = name.rfind("gb");
    if (end == std::string::npos) continue;  // TPU
    size_t begin = end;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
    const double gib = std::stod(name.substr(begin, end - begin));
    CHECK(between(0.9, test::read_gpu(name).gpu.memory.value / gib / kGiB, 1.08));
  }
}

TEST_CASE("parts of one chip differ in memory and power, not in what they compute") {
  const std::pair<const char*, const char*> pairs[] = {
      {"a100-sxm-40gb", "a100-sxm-80gb"},  {"a100-pcie-40gb", "a100-pcie-80gb"},
      {"a100-sxm-80gb", "a800-80gb"},      {"v100-sxm2-16gb", "v100-sxm2-32gb"},
      {"h100-sxm-80gb", "h200-sxm-141gb"}, {"h100-sxm-80gb", "h800-80gb"},
      {"gb200-186gb", "gb300-288gb"},      {"h20-96gb", "h20-141gb"},
      {"gh200-96gb", "gh200-144gb"},       {"mi300x-192gb", "mi325x-256gb"}};
  for (const auto& [one, other] : pairs) {
    const auto& said = one;
    CAPTURE(said);
    const Accelerator a = test::read_gpu(one).gpu, b = test::read_gpu(other).gpu;
    for (Precision p : {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8})
      CHECK(peak(a, p) == peak(b, p));
    CHECK(a.compute_units == b.compute_units);
    CHECK(a.cache.value == b.cache.value);
    CHECK(a.memory.value <= b.memory.value);
    CHECK(a.memory_bandwidth.value <= b.memory_bandwidth.value);
  }
}
