// Expert groups against brute force: Megatron's ranks (parallel_state.py, RankGenerator for experts: tp is etp, no cp,
// order tp-cp-ep-dp-pp) dealt one by one, and the members of each group and the nodes they lie in counted.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "planner/workload/placement.h"
#include "tests/planner/workload/lower/mixtures.h"

using namespace mixtures;
using operator_models::Group;

namespace {

struct Grid {
  int64_t tp, cp, dp, pp, ep, etp;
  int64_t ranks() const { return tp * cp * dp * pp; }
  int64_t copies() const { return tp * cp * dp / (ep * etp); }
};
constexpr Grid kGrids[] = {{1, 1, 8, 1, 4, 1},  {1, 1, 64, 1, 64, 1}, {1, 1, 64, 1, 8, 1},  {2, 1, 8, 2, 8, 1},
                           {2, 1, 16, 1, 4, 2}, {4, 2, 4, 2, 8, 4},   {8, 1, 4, 2, 16, 1},  {2, 4, 4, 1, 32, 1},
                           {4, 1, 2, 4, 2, 1},  {1, 1, 32, 2, 16, 2}, {1, 4, 16, 1, 16, 1}, {8, 1, 2, 1, 2, 8}};

/// Coordinates of a rank among the experts.
struct Place {
  int64_t etp, ep, copy, pp;
};
Place place(const Grid& g, int64_t rank) {
  return {rank % g.etp, rank / g.etp % g.ep, rank / (g.etp * g.ep) % g.copies(), rank / (g.etp * g.ep * g.copies())};
}

/// Ranks that agree with rank 0 in all coordinates but one.
std::vector<int64_t> members(const Grid& g, int64_t Place::*of) {
  std::vector<int64_t> found;
  for (int64_t rank = 0; rank < g.ranks(); ++rank) {
    Place at = place(g, rank);
    at.*of = 0;
    if (at.etp == 0 && at.ep == 0 && at.copy == 0 && at.pp == 0) found.push_back(rank);
  }
  return found;
}

decltype(operator_models::Group::inside) inside(const std::vector<int64_t>& ranks, const std::vector<int64_t>& tiers) {
  decltype(operator_models::Group::inside) counts;
  for (int64_t size : tiers)
    counts.push_back(std::ranges::count_if(ranks, [&](int64_t rank) { return size == 0 || rank < size; }));
  return counts;
}

Scenario placed(const Grid& g, const std::vector<int64_t>& tiers) {
  static const Scenario base = mixture();
  Scenario s = base;
  s.parallelism.tp = g.tp;
  s.parallelism.cp = g.cp;
  s.parallelism.dp = g.dp;
  s.parallelism.pp = g.pp;
  s.parallelism.ep = g.ep;
  s.parallelism.etp = g.etp;
  s.parallelism.zero_group = g.dp * g.cp;
  s.cluster.gpus = g.ranks();
  s.cluster.network.clear();
  for (int64_t size : tiers)
    s.cluster.network.push_back(
        {.name = "tier" + std::to_string(size), .size = size, .bandwidth = {1e9}, .latency = {}});
  return s;
}

void check(const Group& group, const std::vector<int64_t>& ranks, const std::vector<int64_t>& tiers) {
  CHECK(group.ranks == static_cast<int64_t>(ranks.size()));
  CHECK(group.inside == inside(ranks, tiers));
}

/// Domains of a tier that a group lies in, counted and as the group says.
void check_nodes(const Group& group, const std::vector<int64_t>& ranks, int64_t size) {
  std::set<int64_t> nodes;
  for (int64_t rank : ranks) nodes.insert(rank / size);
  CHECK(group.ranks == group.inside.front() * static_cast<int64_t>(nodes.size()));
}

}  // namespace

TEST_CASE("groups of experts have the ranks that dealing finds, on every tier") {
  for (const Grid& g : kGrids)
    for (const std::vector<int64_t>& tiers : {std::vector<int64_t>{8, 0}, {4, 16, 0}, {2, 0}, {72, 0}, {0}}) {
      INFO(g.tp, " ", g.cp, " ", g.dp, " ", g.pp, ", ep ", g.ep, ", etp ", g.etp, ", tier ", tiers.front());
      const Scenario s = placed(g, tiers);
      check(planner::expert_group(s), members(g, &Place::ep), tiers);
      check(planner::expert_tensor_group(s), members(g, &Place::etp), tiers);
      check(planner::expert_data_group(s), members(g, &Place::copy), tiers);
    }
}

TEST_CASE("as many nodes are crossed as the ranks of a group lie in") {
  for (const Grid& g : kGrids)
    for (int64_t size : {2, 4, 8}) {
      INFO(g.tp, " ", g.cp, " ", g.dp, " ", g.pp, ", ep ", g.ep, ", etp ", g.etp, ", node ", size);
      const Scenario s = placed(g, {size, 0});
      check_nodes(planner::expert_group(s), members(g, &Place::ep), size);
      check_nodes(planner::expert_data_group(s), members(g, &Place::copy), size);
    }
}

TEST_CASE("a stage has the same ranks for its experts as for everything else") {
  for (const Grid& g : kGrids) {
    const Scenario s = placed(g, {8, 0});
    for (int64_t rank = 0; rank < g.ranks(); ++rank)
      CHECK(place(g, rank).pp == rank / planner::stride_of(s, &planner::Degrees::pp));
  }
}

TEST_CASE("shards and replicas of experts divide the ranks that hold them") {
  for (const Grid& g : kGrids) {
    Scenario s = placed(g, {8, 0});
    CHECK(planner::expert_shard_group(s).ranks == g.copies());
    CHECK(planner::expert_replica_group(s).ranks == 1);
    for (int64_t group = g.dp * g.cp / 2; group >= 1; group /= 2) {
      s.parallelism.zero_group = group;
      const int64_t shards = planner::expert_shard_group(s).ranks;
      CHECK(shards == std::clamp<int64_t>(group * g.tp / (g.ep * g.etp), 1, g.copies()));
      CHECK(shards * planner::expert_replica_group(s).ranks == g.copies());
    }
  }
}

TEST_CASE("experts may have a shard group of their own, and else have their part of the common one") {
  int others = 0;
  for (const Grid& g : kGrids)
    for (int64_t own = 1; own <= g.copies(); own *= 2) {
      Scenario s = placed(g, {8, 0});
      s.parallelism.expert_zero_group = own;
      const int64_t shards = planner::expert_shard_group(s).ranks;
      CHECK(shards == std::gcd(own, g.copies()));
      CHECK(shards * planner::expert_replica_group(s).ranks == g.copies());
      CHECK(planner::shard_group(s).ranks == s.parallelism.zero_group);
      others += shards != g.copies();
    }
  CHECK(others > 10);
}

// torchtitan's mesh of experts (parallel_dims.py): efsdp is dp_shard x cp x tp / ep, beside dp_replicate copies of it.
TEST_CASE("by default experts are sharded as torchtitan's and Megatron-Core's are") {
  for (const Grid& g : kGrids)
    for (int64_t replicas : {1, 2}) {
      Scenario s = placed(g, {8, 0});
      if (g.etp != 1 || g.dp % replicas != 0 || g.dp / replicas * g.cp * g.tp % g.ep != 0) continue;
      s.parallelism.zero_group = g.dp / replicas * g.cp;
      CHECK(planner::expert_shard_group(s).ranks == g.dp / replicas * g.cp * g.tp / g.ep);
      CHECK(planner::expert_replica_group(s).ranks == replicas);
    }
}
