// Machines of the catalogue: each reads, and its figures are of the right order and rank.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "dsl/catalog.h"
#include "hw_profiles/types.h"
#include "tests/operator_models/devices.h"
#include "tests/planner/sample.h"

using hw_profiles::Accelerator;
using hw_profiles::Cluster;
using hw_profiles::Precision;
using hw_profiles::Tier;
using sample::near;

namespace {

std::vector<std::string> names(const char* kind) {
  return dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, kind);
}

Cluster cluster(const std::string& name) {
  return sample::gpt({"cluster={use: " + name + ", gpus: 16}", "software.attention=unfused"}).cluster;
}

double peak(const Accelerator& a, Precision p) { return a.flops.at(p) ? a.flops.at(p)->value : 0; }

bool between(double low, double x, double high) { return low <= x && x <= high; }

constexpr double kGiB = 1024.0 * 1024 * 1024;

}  // namespace

TEST_CASE("every accelerator reads under its own name, with its calibration") {
  CHECK(names("accelerator").size() >= 12);
  for (const std::string& name : names("accelerator")) {
    CAPTURE(name);
    const test::CalibratedGpu read = test::read_gpu(name);
    CHECK(read.gpu.name == name);
    CHECK_FALSE(read.calibration.name.empty());
    CHECK(read.calibration.launch.value > 0);
  }
}

TEST_CASE("peaks are dense: each narrower precision twice the wider, none above what the clock allows") {
  for (const std::string& name : names("accelerator")) {
    CAPTURE(name);
    const Accelerator a = test::read_gpu(name).gpu;
    REQUIRE(a.flops.fp16);
    CHECK(peak(a, Precision::fp16) >= peak(a, Precision::fp32));
    if (a.flops.bf16) CHECK(peak(a, Precision::bf16) == peak(a, Precision::fp16));
    if (a.flops.tf32) {
      CHECK(near(2 * peak(a, Precision::tf32), peak(a, Precision::bf16), 0.03));
      CHECK(peak(a, Precision::tf32) >= peak(a, Precision::fp32));
    }
    if (a.flops.fp8) CHECK(near(peak(a, Precision::fp8), 2 * peak(a, Precision::bf16), 0.02));
    if (a.flops.nvfp4) CHECK(peak(a, Precision::nvfp4) >= peak(a, Precision::fp8));
    if (a.flops.mxfp8) CHECK(peak(a, Precision::mxfp8) == peak(a, Precision::fp8));
    // Tensor cores: 1024 (V100) to 8192 (B200) fp16 FLOP per unit and cycle. Sparse peaks would be twice that.
    const double per_cycle = peak(a, Precision::fp16) / static_cast<double>(a.compute_units) / a.clock.value;
    CHECK_MESSAGE(between(1000, per_cycle, 8800), per_cycle);
    // 64 to 128 multiply-adds of fp32.
    CHECK(between(120, a.vector_flops.value / static_cast<double>(a.compute_units) / a.clock.value, 310));
  }
}

TEST_CASE("memories, caches, clocks and power are of the right order") {
  for (const std::string& name : names("accelerator")) {
    CAPTURE(name);
    const Accelerator a = test::read_gpu(name).gpu;
    CHECK(between(15 * kGiB, a.memory.value, 300 * kGiB));
    CHECK(between(0.8e12, a.memory_bandwidth.value, 10e12));
    CHECK(between(4 * kGiB / 1024, a.cache.value, 300 * kGiB / 1024));
    CHECK(between(1e9, a.clock.value, 2.5e9));
    CHECK(between(200, a.power.value, 1500));
    CHECK(between(60, static_cast<double>(a.compute_units), 200));
    // FLOP per byte at the ridge of the roofline: from 139 (V100) to 300 and more.
    CHECK(between(100, peak(a, Precision::fp16) / a.memory_bandwidth.value, 500));
  }
}

TEST_CASE("the memory in a name is what the driver shows, within a tenth") {
  for (const std::string& name : names("accelerator")) {
    CAPTURE(name);
    const size_t end = name.find("gb");
    REQUIRE(end != std::string::npos);
    size_t begin = end;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
    const double gib = std::stod(name.substr(begin, end - begin));
    CHECK(between(0.9, test::read_gpu(name).gpu.memory.value / gib / kGiB, 1.08));
  }
}

TEST_CASE("parts of one chip differ in memory and power, not in what they compute") {
  const std::pair<const char*, const char*> pairs[] = {{"a100-sxm-40gb", "a100-sxm-80gb"},
                                                       {"a100-pcie-40gb", "a100-pcie-80gb"},
                                                       {"a100-sxm-80gb", "a800-80gb"},
                                                       {"v100-sxm2-16gb", "v100-sxm2-32gb"},
                                                       {"h100-sxm-80gb", "h200-sxm-141gb"}};
  for (const auto& [one, other] : pairs) {
    CAPTURE(one);
    const Accelerator a = test::read_gpu(one).gpu, b = test::read_gpu(other).gpu;
    for (Precision p : {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8})
      CHECK(peak(a, p) == peak(b, p));
    CHECK(a.compute_units == b.compute_units);
    CHECK(a.cache.value == b.cache.value);
    CHECK(a.memory.value <= b.memory.value);
    CHECK(a.memory_bandwidth.value <= b.memory_bandwidth.value);
  }
}

TEST_CASE("every cluster reads, and its tiers are nested: larger and slower outwards, the last without bounds") {
  CHECK(names("cluster").size() >= 14);
  for (const std::string& name : names("cluster")) {
    CAPTURE(name);
    const Cluster c = cluster(name);
    CHECK(c.name == name);
    REQUIRE(c.network.size() >= 2);
    CHECK(c.network.front().size >= c.gpus_per_node);
    CHECK(c.network.back().size == 0);
    for (size_t t = 1; t < c.network.size(); ++t) {
      const Tier &inner = c.network[t - 1], &outer = c.network[t];
      CHECK((outer.size == 0 || (outer.size > inner.size && outer.size % inner.size == 0)));
      CHECK(outer.bandwidth.value < inner.bandwidth.value);
      CHECK(outer.latency.value > inner.latency.value);
      CHECK(outer.name != inner.name);
    }
  }
}

TEST_CASE("bandwidths are those of one direction and one GPU") {
  // NVLink of each generation, per direction; half of what datasheets print.
  const std::map<std::string, double> links{{"v100", 150e9}, {"a100-sxm", 300e9}, {"a800", 200e9},
                                            {"h100", 450e9}, {"h200", 450e9},     {"b200", 900e9}};
  for (const std::string& name : names("cluster")) {
    CAPTURE(name);
    const Cluster c = cluster(name);
    for (const auto& [chip, bandwidth] : links)
      if (c.gpu.name.starts_with(chip)) CHECK(c.network.front().bandwidth.value == bandwidth);
    // 50 Gb/s (four links of 100 for eight) to 400 Gb/s a GPU.
    CHECK(between(6.25e9, c.network.back().bandwidth.value, 50e9));
    CHECK(between(0.2e-6, c.network.front().latency.value, 2e-6));
    CHECK(between(1e-6, c.network.back().latency.value, 10e-6));
  }
}

TEST_CASE("a node draws more than its accelerators, and less than three times that") {
  for (const std::string& name : names("cluster")) {
    CAPTURE(name);
    const Cluster c = cluster(name);
    const double accelerators = static_cast<double>(c.gpus_per_node) * c.gpu.power.value;
    CHECK(between(accelerators, c.node_power.value, 3 * accelerators));
    CHECK(between(1, c.network_power.value, 200));
    CHECK(between(1, c.pue, 2));
    CHECK(between(10000, c.mtbf.value / 3600, 200000));
    CHECK(between(1, c.checkpoint.save.value, 3600));
    CHECK(between(1, c.checkpoint.detect.value, 3600));
    CHECK(between(1, c.checkpoint.restart.value, 7200));
    if (c.price) CHECK(between(0.5, c.price->value * 3600, 15));
  }
}

TEST_CASE("switches add only where NVLink switches of the third generation stand") {
  for (const std::string& name : names("cluster")) {
    const Cluster c = cluster(name);
    const bool new_switch = c.gpu.name.starts_with("h") || c.gpu.name.starts_with("b");
    CHECK_MESSAGE((c.network.front().reduction == hw_profiles::InNetwork::all_reduce) == new_switch, name);
  }
}
