// Tiers by name and by role, over machines whose nodes and tiers do not coincide.
#include "planner/scenario/field_path.h"

#include <doctest/doctest.h>

#include "tests/planner/sample.h"

namespace {

std::string path(const std::string& name, const sample::Sets& sets = {}) {
  const planner::LoadedScenario loaded = sample::load(sample::kGpt, sets);
  return planner::indexed_path(name, loaded.record, loaded.scenario.cluster);
}

sample::Sets tiers(const std::string& list) { return {"cluster.network=[" + list + "]"}; }

constexpr const char* kThree =
    "{name: pair, size: 2, bandwidth: 300 GB/s, latency: 1 us}, "
    "{name: node, size: 8, bandwidth: 100 GB/s, latency: 1 us}, "
    "{name: spine, size: 0, bandwidth: 25 GB/s, latency: 3 us}";

TEST_CASE("the innermost tier is within the node, the first larger one beyond it") {
  CHECK(path("cluster.network.intra_node.bandwidth", tiers(kThree)) == "cluster.network[0].bandwidth");
  CHECK(path("cluster.network.node.bandwidth", tiers(kThree)) == "cluster.network[1].bandwidth");
  CHECK(path("cluster.network.inter_node.bandwidth", tiers(kThree)) == "cluster.network[2].bandwidth");
}

TEST_CASE("the first tier plays both roles where it reaches beyond a node") {
  const sample::Sets rack{"cluster={use: gb200-nvl72, gpus: 8}"};
  CHECK(path("cluster.network.intra_node.latency", rack) == "cluster.network[0].latency");
  CHECK(path("cluster.network.inter_node.latency", rack) == "cluster.network[0].latency");
  CHECK(path("cluster.network.infiniband.latency", rack) == "cluster.network[1].latency");
}

TEST_CASE("a network that ends at the node has no tier beyond it") {
  const sample::Sets one = tiers("{name: nvlink, size: 8, bandwidth: 300 GB/s, latency: 1 us}");
  CHECK(path("cluster.network.inter_node.latency", one) == "cluster.network.inter_node.latency");
  CHECK(path("cluster.network.nvlink.latency", one) == "cluster.network[0].latency");
}

TEST_CASE("a tier may be called as a role is") {
  const sample::Sets named = tiers(
      "{name: nvlink, size: 8, bandwidth: 300 GB/s, latency: 1 us}, "
      "{name: inter_node, size: 0, bandwidth: 25 GB/s, latency: 1 us}");
  CHECK(path("cluster.network.inter_node.size", named) == "cluster.network[1].size");
}

TEST_CASE("what follows the name is kept, whether or not the tier has such a field") {
  CHECK(path("cluster.network.nvlink.no.such.field") == "cluster.network[0].no.such.field");
  for (const char* same : {"cluster.network", "cluster.network.nvlink", "cluster.network.NVLink.size",
                           "cluster.networks.nvlink.size", "network.nvlink.size", "nvlink.size", ""})
    CHECK(path(same) == same);
}

}  // namespace
