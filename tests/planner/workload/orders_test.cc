// Placement against brute force: ranks dealt to coordinates one by one, and the members of each group counted.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "planner/workload/placement.h"
#include "tests/planner/sample.h"

using operator_models::Group;
using planner::Scenario;
using sample::Sets;

namespace {

using Dimension = std::string;  // the name of a degree

int64_t stride_of(const Scenario& s, const Dimension& d) {
  const auto row = std::ranges::find_if(planner::degrees(), [&](const planner::Degree& r) { return r.name == d; });
  return planner::stride_of(s, row->value);
}

struct Sizes {
  int64_t tp, dp, pp;
  int64_t ranks() const { return tp * dp * pp; }
};
constexpr std::array kSizes{Sizes{4, 8, 2}, Sizes{8, 4, 4}, Sizes{2, 2, 8}, Sizes{1, 64, 1}, Sizes{16, 2, 2}};

/// Tier tables, innermost first; 0: all.
const std::vector<std::vector<int64_t>> kTables{{8, 0}, {8, 32, 0}, {4, 16, 64, 0}, {2, 0}, {0}};

/// Every order there is.
std::vector<std::string> orders() {
  std::vector<std::string> words{"cp", "dp", "ep", "pp", "tp"}, all;
  do {
    std::string order;
    for (const std::string& word : words) order += (order.empty() ? "" : "-") + word;
    all.push_back(order);
  } while (std::next_permutation(words.begin(), words.end()));
  return all;
}

Scenario placed(const Sizes& z, const std::string& order, const std::vector<int64_t>& tiers) {
  static const Scenario base = sample::gpt();
  Scenario s = base;
  s.parallelism.tp = z.tp;
  s.parallelism.dp = z.dp;
  s.parallelism.pp = z.pp;
  s.parallelism.zero_group = z.dp;
  s.parallelism.order = order;
  s.cluster.gpus = z.ranks();
  s.cluster.network.clear();
  for (size_t i = 0; i < tiers.size(); ++i)
    s.cluster.network.push_back(
        {.name = "tier" + std::to_string(i), .size = tiers[i], .bandwidth = {1e9}, .latency = {}});
  return s;
}

/// Rank -> coordinates, nearest dimension counting fastest.
std::map<Dimension, int64_t> coordinates(const Scenario& s, int64_t rank) {
  const std::map<Dimension, int64_t> sizes{
      {"tp", s.parallelism.tp}, {"dp", s.parallelism.dp}, {"pp", s.parallelism.pp}};
  std::map<Dimension, int64_t> at;
  for (const planner::Degree* word : planner::parse_order(s.parallelism.order)) {
    const Dimension d = word->name;
    const auto size = sizes.find(d);
    if (size == sizes.end()) continue;
    at[d] = rank % size->second;
    rank /= size->second;
  }
  return at;
}

/// The ranks that differ from rank 0 in this dimension only.
std::vector<int64_t> members(const Scenario& s, const Dimension& d) {
  std::vector<int64_t> found;
  for (int64_t rank = 0; rank < s.cluster.gpus; ++rank) {
    bool same = true;
    for (const auto& [other, at] : coordinates(s, rank)) same = same && (other == d || at == 0);
    if (same) found.push_back(rank);
  }
  return found;
}

/// How many of them share a domain of each tier with the first; all share the widest.
decltype(operator_models::Group::inside) inside(const Scenario& s, const std::vector<int64_t>& ranks) {
  decltype(operator_models::Group::inside) counts;
  for (const hw_profiles::Tier& tier : s.cluster.network)
    counts.push_back(std::ranges::count_if(ranks, [&](int64_t r) { return tier.size == 0 || r < tier.size; }));
  return counts;
}

}  // namespace

TEST_CASE("in every order, on every tier table, a group has the members that dealing finds") {
  int checked = 0;
  for (const std::string& order : orders())
    for (const Sizes& z : kSizes)
      for (const auto& tiers : kTables) {
        const Scenario s = placed(z, order, tiers);
        const auto tensor = members(s, "tp"), data = members(s, "dp");
        REQUIRE(static_cast<int64_t>(tensor.size()) == z.tp);
        CHECK(planner::tensor_group(s).inside == inside(s, tensor));
        CHECK(planner::data_group(s).ranks == z.dp);
        CHECK(planner::data_group(s).inside == inside(s, data));
        ++checked;
      }
  CHECK(checked == 120 * 5 * 5);
}

TEST_CASE("strides are the distances between neighbours, whatever the order") {
  for (const std::string& order : orders())
    for (const Sizes& z : kSizes) {
      const Scenario s = placed(z, order, {8, 0});
      for (const Dimension d : {"tp", "dp", "pp"}) {
        const auto ranks = members(s, d);
        for (size_t i = 1; i < ranks.size(); ++i) CHECK(ranks[i] - ranks[i - 1] == stride_of(s, d));
      }
    }
}

TEST_CASE("the pipeline's tier is the innermost that holds all its stages") {
  for (const std::string& order : orders())
    for (const Sizes& z : kSizes)
      for (const auto& tiers : kTables) {
        const Scenario s = placed(z, order, tiers);
        const auto stages = members(s, "pp");
        const auto counts = inside(s, stages);
        const auto first = std::ranges::find(counts, z.pp) - counts.begin();
        // A domain that the stages only just leave by their last neighbours' stride counts as too small.
        CHECK(planner::pipeline_tier(s) >= first);
        CHECK(planner::pipeline_tier(s) < static_cast<int64_t>(tiers.size()));
        if (stages.back() + stride_of(s, "pp") <= tiers.front()) CHECK(planner::pipeline_tier(s) == 0);
      }
}

TEST_CASE("shard groups and replicas divide the data ranks between them") {
  for (const std::string& order : orders())
    for (int64_t group : {1, 2, 4, 8}) {
      Scenario s = placed({4, 8, 2}, order, {8, 32, 0});
      s.parallelism.zero_group = group;
      const Group shards = planner::shard_group(s), replicas = planner::replica_group(s);
      CHECK(shards.ranks * replicas.ranks == 8);
      CHECK(shards.inside.back() == group);
      CHECK(replicas.inside.back() == 8 / group);
      for (size_t t = 1; t < shards.inside.size(); ++t) {
        CHECK(shards.inside[t] >= shards.inside[t - 1]);
        CHECK(replicas.inside[t] >= replicas.inside[t - 1]);
      }
      const Group data = planner::data_group(s);
      for (size_t t = 0; t < data.inside.size(); ++t) CHECK(shards.inside[t] <= data.inside[t]);
    }
}

TEST_CASE("a group names the tiers where it grows, innermost first") {
  const std::vector<std::string> all{"tier0", "tier1", "tier2"};
  for (const std::string& order : orders())
    for (const Sizes& z : kSizes) {
      const Scenario s = placed(z, order, {8, 32, 0});
      for (const Group& g : {planner::tensor_group(s), planner::data_group(s)}) {
        const std::vector<std::string> names = planner::tier_names(s, g);
        CHECK(names.empty() == (g.ranks == 1));
        CHECK(std::ranges::is_sorted(names));
        for (const std::string& name : names) CHECK(std::ranges::count(all, name) == 1);
        if (g.inside[0] > 1) CHECK(names.front() == "tier0");
        if (g.inside[1] < g.ranks) CHECK(names.back() == "tier2");
      }
    }
}

TEST_CASE("the order that keeps tensor ranks nearest is the fastest of all, where they talk the most") {
  double nearest = 0, best = 1e300;
  for (const std::string& order : orders()) {
    Scenario s = sample::gpt({"cluster.gpus=64", "parallelism.tp=8", "parallelism.microbatch=2"});
    s.parallelism.order = order;
    const double seconds = sample::plan(s).step->seconds;
    best = std::min(best, seconds);
    if (order == "tp-cp-ep-dp-pp") nearest = seconds;
  }
  CHECK(nearest == best);
}
