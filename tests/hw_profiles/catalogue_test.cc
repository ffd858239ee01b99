// Clusters of the catalogue: each reads, and its links, hosts, power and prices are of the right order and rank.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>

#include "dsl/catalog.h"
#include "hw_profiles/types.h"
#include "operator_models/cost.h"
#include "planner/workload/cost.h"
#include "tests/planner/sample.h"

using hw_profiles::Cluster;
using hw_profiles::Tier;
using sample::near;

namespace {

std::vector<std::string> names() {
  return dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, "cluster");
}

planner::Scenario on_cluster(const std::string& name) {
  return sample::gpt({"cluster={use: " + name + ", gpus: 16}", "software.attention=unfused", "job.precision=bf16"});
}
Cluster cluster(const std::string& name) { return on_cluster(name).cluster; }

bool between(double low, double x, double high) { return low <= x && x <= high; }

bool is_nvlink(const Tier& tier) { return tier.name.starts_with("nvlink"); }

/// Of a paper that counts bytes over bandwidth: no latency, no boxes.
bool is_study(const Cluster& c) { return c.network.front().name == "ring"; }

bool has_switches_that_add(const Cluster& c) {
  for (const char* chip : {"h100", "h200", "h20-", "h800", "b200", "b300", "gb200", "gb300"})
    if (c.gpu.name.starts_with(chip)) return true;
  return false;
}

}  // namespace

TEST_CASE("every cluster reads, and its tiers are nested: larger and slower outwards") {
  CHECK(names().size() >= 71);
  for (const std::string& name : names()) {
    CAPTURE(name);
    const Cluster c = cluster(name);
    CHECK(c.name == name);
    REQUIRE(!c.network.empty());
    for (size_t t = 1; t < c.network.size(); ++t) {
      const Tier &inner = c.network[t - 1], &outer = c.network[t];
      CHECK((outer.size == 0 || (outer.size > inner.size && outer.size % inner.size == 0)));
      CHECK(outer.bandwidth.value < inner.bandwidth.value);
      CHECK((is_study(c) || outer.latency.value > inner.latency.value));
      CHECK(outer.name != inner.name);
    }
    // The last tier has no bounds, unless there is nothing beyond the box.
    CHECK((c.network.back().size == 0 || c.network.back().size == c.gpus_per_node));
  }
}

TEST_CASE("no tier ends inside a node, unless the node is of bridged pairs") {
  for (const std::string& name : names()) {
    const Cluster c = cluster(name);
    for (const Tier& tier : c.network) {
      const bool whole_nodes = tier.size % c.gpus_per_node == 0;
      CHECK_MESSAGE((whole_nodes || (is_nvlink(tier) && tier.size == 2)), name);
    }
  }
}

TEST_CASE("bandwidths are those of one direction and one GPU") {
  // NVLink of each chip, per direction; half of what datasheets print.
  const std::map<std::string, double> links{
      {"v100", 150e9},      {"gv100", 100e9},    {"a100-sxm", 300e9}, {"a800", 200e9},  {"h100-sxm", 450e9},
      {"h100-pcie", 300e9}, {"h100-nvl", 300e9}, {"h200", 450e9},     {"h20-", 450e9},  {"gh200", 450e9},
      {"h800", 200e9},      {"b200", 900e9},     {"b300", 900e9},     {"gb200", 900e9}, {"gb300", 900e9}};
  for (const std::string& name : names()) {
    CAPTURE(name);
    const Cluster c = cluster(name);
    double nvlink = 0;
    for (const auto& [chip, bandwidth] : links)
      if (c.gpu.name.starts_with(chip)) nvlink = bandwidth;
    for (const Tier& tier : c.network) {
      if (is_nvlink(tier)) CHECK(tier.bandwidth.value == nvlink);
      // 12.5 Gb/s (one port of 100 for eight) to the links of a GPU to its peers.
      CHECK(between(1.5e9, tier.bandwidth.value, 900e9));
      if (!tier.name.starts_with("ring")) CHECK(between(0.2e-6, tier.latency.value, 10e-6));
    }
    // Beyond a domain: one adapter of 800 Gb/s at most.
    if (c.network.size() > 1) CHECK(c.network.back().bandwidth.value <= 100e9);
  }
}

TEST_CASE("the host is reached more slowly than device memory, and no faster than the peers over links of their own") {
  for (const std::string& name : names()) {
    CAPTURE(name);
    const Cluster c = cluster(name);
    const double gpus = static_cast<double>(c.gpus_per_node);
    CHECK(between(3e9, c.host.bandwidth.value, 450e9));
    CHECK(c.host.bandwidth.value < c.gpu.memory_bandwidth.value);
    // NVLink-C2C outruns the LPDDR5X of a Grace CPU with 480 GB by a sixth; a copy has 0.8 of the link.
    CHECK(c.host.bandwidth.value < 1.2 * c.host.memory_bandwidth.value);
    CHECK(c.host.memory_bandwidth.value < gpus * c.gpu.memory_bandwidth.value);
    if (!is_study(c)) CHECK(between(0.4, c.host.memory.value / (gpus * c.gpu.memory.value), 8));
    const Tier& peers = c.network.front();
    if (c.network.size() > 1 && peers.name != "pcie") CHECK(c.host.bandwidth.value <= peers.bandwidth.value);
  }
}

TEST_CASE("hosts of one generation of PCIe, or of NVLink-C2C, have its bandwidth or the share of a switch") {
  // x16 links of generations 3, 4, 5; C2C of a Grace CPU, with one GPU or two; Infinity Fabric to two dies.
  const std::array whole{15.75e9, 31.5e9, 63e9, 450e9, 72e9};
  for (const std::string& name : names()) {
    const double bandwidth = cluster(name).host.bandwidth.value;
    bool fits = false;
    for (double link : whole)
      for (double sharing : {1, 2, 4}) fits = fits || near(bandwidth, link / sharing, 0.002);
    CHECK_MESSAGE(fits, name);
  }
}

TEST_CASE("a node draws more than its accelerators, and less than three times that") {
  for (const std::string& name : names()) {
    CAPTURE(name);
    const Cluster c = cluster(name);
    const double accelerators = static_cast<double>(c.gpus_per_node) * c.gpu.power.value;
    if (!is_study(c)) CHECK(between(accelerators, c.node_power.value, 3 * accelerators));
    // A box without a network has no adapters; so has a study network.
    CHECK(between(c.network.back().size == 0 && !is_study(c) ? 1 : 0, c.network_power.value, 200));
    CHECK(between(1, c.pue, 2));
    CHECK(between(10000, c.mtbf.value / 3600, 200000));
    CHECK(between(1, c.checkpoint.save.value, 3600));
    CHECK(between(1, c.checkpoint.detect.value, 3600));
    CHECK(between(1, c.checkpoint.restart.value, 7200));
    if (c.price) CHECK(between(0.5, c.price->value * 3600, 15));
  }
}

TEST_CASE("switches add only where NVLink switches of the third generation stand") {
  for (const std::string& name : names()) {
    const Cluster c = cluster(name);
    for (const Tier& tier : c.network) {
      const bool adds = tier.reduction == hw_profiles::InNetwork::all_reduce;
      CHECK_MESSAGE(adds == (tier.name == "nvlink" && has_switches_that_add(c)), name);
    }
  }
}

TEST_CASE("an NVL72 rack is one domain of eighteen nodes") {
  for (const char* name : {"gb200-nvl72", "gb300-nvl72"}) {
    const Cluster c = cluster(name);
    CHECK(c.gpus_per_node == 4);
    CHECK(c.network.front().size == 18 * c.gpus_per_node);
  }
}

TEST_CASE("a study network prices an all-reduce by its bytes, at any number of ranks") {
  const std::map<std::string, double> bandwidths{
      {"mi210-flat-ring", 0.765 * 150e9}, {"pcie4-mi100-128", 31.5e9}, {"pcie4-a100-128", 31.5e9}};
  for (const auto& [name, bandwidth] : bandwidths) {
    const planner::Scenario s = on_cluster(name);
    const double small = name.starts_with("mi210") ? 2e6 : 0;  // bytes whose messages fill half of the links
    for (int64_t ranks : {2, 3, 4, 16, 128, 1000})
      for (double bytes : {1e4, 1e8}) {
        const operator_models::Collective op{.bytes = {bytes}, .group = {.ranks = ranks, .inside = {ranks}}};
        const double n = static_cast<double>(ranks),
                     expected = bytes * 2 * (n - 1) / n / bandwidth * (1 + std::sqrt(small / bytes));
        CHECK(near(operator_models::cost(op, planner::device_of(s)).seconds.value, expected, 1e-9));
      }
  }
}

TEST_CASE("a cloud's nodes have the GPUs and inner links of the board they are built on") {
  const std::map<std::string, const char*> boards{
      {"p5", "dgx-h100"},       {"p5e", "dgx-h200"},      {"p5en", "dgx-h200"},     {"azure-ndv5", "dgx-h100"},
      {"oci-h100", "dgx-h100"}, {"a3-high", "dgx-h100"},  {"a3-mega", "dgx-h100"},  {"p6-b200", "dgx-b200"},
      {"a4", "dgx-b200"},       {"p4d", "dgx-a100-40gb"}, {"p4de", "dgx-a100-80gb"}};
  for (const auto& [name, board] : boards) {
    const auto& said = name;
    CAPTURE(said);
    const Cluster c = cluster(name), base = cluster(board);
    CHECK(c.gpu.name == base.gpu.name);
    CHECK(c.gpus_per_node == base.gpus_per_node);
    CHECK(c.network.front().bandwidth.value == base.network.front().bandwidth.value);
    CHECK(c.network.back().bandwidth.value <= base.network.back().bandwidth.value);
    CHECK(c.price.has_value());
  }
}

TEST_CASE("every accelerator has its vendor, and those of a provider are rented there") {
  const std::map<hw_profiles::Platform, std::set<std::string>> vendors{{hw_profiles::Platform::cuda, {"nvidia"}},
                                                                       {hw_profiles::Platform::rocm, {"amd"}},
                                                                       {hw_profiles::Platform::synapse, {"intel"}},
                                                                       {hw_profiles::Platform::xla, {"google", "aws"}}};
  std::map<std::string, int> providers;
  for (const std::string& name : names()) {
    const auto& said = name;
    CAPTURE(said);
    const Cluster c = cluster(name);
    CHECK(vendors.at(c.gpu.platform).contains(c.gpu.vendor));
    ++providers[c.provider];
    const bool is_named = name.starts_with("azure") || name.starts_with("oci") || name.starts_with("tpu");
    CHECK((!is_named || !c.provider.empty()));
    if (c.provider.empty()) continue;
    CHECK(std::set<std::string>{"aws", "google", "azure", "oracle"}.contains(c.provider));
    CHECK((c.price.has_value() || c.gpu.name.starts_with("tpu")));  // Ironwood has no list price
  }
  CHECK(providers["aws"] >= 12);
  CHECK(providers["google"] >= 8);
}

TEST_CASE("a share of nodes that fail is the time between failures of a GPU in another form") {
  Cluster c = cluster("dgx-h100");
  CHECK(hw_profiles::time_between_failures(c).value == c.mtbf.value);
  for (const double share : {0.01, 0.02, 0.2}) {
    c.node_failures = dsl::Hertz{share / (7 * 86400)};
    // A node of eight fails eight times as often as a GPU.
    CHECK(near(hw_profiles::time_between_failures(c).value, 8 * 7 * 86400 / share, 1e-12));
  }
}
