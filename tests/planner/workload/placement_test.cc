// Which network tiers the groups of a layout use.
#include "planner/workload/placement.h"

#include <doctest/doctest.h>

#include "tests/planner/sample.h"

using planner::Scenario;
using sample::gpt;
using sample::Sets;

namespace {

using Inside = decltype(operator_models::Group::inside);

/// 64 GPUs in nodes of eight.
Scenario layout(int64_t tp, int64_t pp, const Sets& more = {}) {
  return gpt(sample::operator+(
      {"cluster.gpus=64", "parallelism.tp=" + std::to_string(tp), "parallelism.pp=" + std::to_string(pp)}, more));
}

}  // namespace

TEST_CASE("an order names every dimension once") {
  CHECK(planner::parse_order("tp-cp-ep-dp-pp").size() == 5);
  CHECK(planner::parse_order("pp-dp-ep-cp-tp").front() == &planner::degree_of(&planner::Degrees::pp));
  for (const char* bad :
       {"", "tp", "tp-cp-ep-dp", "tp-tp-cp-ep-dp", "tp-cp-ep-dp-xx", "tp-cp-ep-dp-pp-", "tp cp ep dp pp"})
    CHECK_MESSAGE(planner::parse_order(bad).empty(), bad);
}

TEST_CASE("neighbours of a group stand as far apart as the nearer dimensions are wide") {
  const Scenario s = layout(4, 2);  // dp 8
  CHECK(planner::stride_of(s, &planner::Degrees::tp) == 1);
  CHECK(planner::stride_of(s, &planner::Degrees::dp) == 4);
  CHECK(planner::stride_of(s, &planner::Degrees::pp) == 32);
  const Scenario other = layout(4, 2, {"parallelism.order=tp-cp-ep-pp-dp"});
  CHECK(planner::stride_of(other, &planner::Degrees::pp) == 4);
  CHECK(planner::stride_of(other, &planner::Degrees::dp) == 8);
}

TEST_CASE("tensor groups stay in the node, data groups span nodes with as many ranks as a node has room for") {
  const Scenario s = layout(4, 2);
  CHECK(planner::tensor_group(s).inside == Inside{4, 4});
  CHECK(planner::data_group(s).inside == Inside{2, 8});
  CHECK(planner::data_group(layout(8, 2)).inside == Inside{1, 4});
  CHECK(planner::data_group(layout(1, 1)).inside == Inside{8, 64});
  CHECK(planner::tensor_group(layout(16, 1)).inside == Inside{8, 16});
}

TEST_CASE("tiers are named where a group uses them") {
  using Names = std::vector<std::string>;
  const Scenario s = layout(4, 2);
  CHECK(planner::tier_names(s, planner::tensor_group(s)) == Names{"nvlink"});
  CHECK(planner::tier_names(s, planner::data_group(s)) == Names{"nvlink", "infiniband"});
  const Scenario eight = layout(8, 2);
  CHECK(planner::tier_names(eight, planner::data_group(eight)) == Names{"infiniband"});
}

TEST_CASE("shard groups are neighbours, replicas stand a shard group apart") {
  const Scenario s = layout(1, 1, {"parallelism.zero=3", "parallelism.zero_group=8"});
  CHECK(planner::shard_group(s).inside == Inside{8, 8});
  CHECK(planner::replica_group(s).ranks == 8);
  CHECK(planner::replica_group(s).inside == Inside{1, 8});
  const Scenario whole = layout(1, 1, {"parallelism.zero=3"});
  CHECK(planner::shard_group(whole).inside == Inside{8, 64});
  CHECK(planner::replica_group(whole).ranks == 1);
}

TEST_CASE("a message between stages crosses the widest tier that the pipeline reaches") {
  CHECK(planner::pipeline_tier(layout(4, 2)) == 1);
  CHECK(planner::pipeline_tier(layout(4, 2, {"parallelism.order=tp-cp-ep-pp-dp"})) == 0);
  CHECK(planner::pipeline_tier(gpt({"parallelism.pp=8"})) == 0);
}

TEST_CASE("messages run along rails where neighbouring stages are whole nodes apart") {
  CHECK(planner::along_rails(layout(8, 8)));
  CHECK(planner::along_rails(layout(4, 2)));                                         // 32 ranks apart
  CHECK(!planner::along_rails(layout(4, 2, {"parallelism.order=tp-cp-ep-pp-dp"})));  // in a node
  CHECK(!planner::along_rails(layout(2, 8, {"parallelism.order=tp-cp-ep-pp-dp"})));  // two ranks apart, over two nodes
  CHECK(!planner::along_rails(gpt({"parallelism.pp=8"})));
  CHECK(sample::workload(layout(8, 8)).boundary.along_rail);
}

TEST_CASE("both ends of a pipeline within a node share it") {
  CHECK(planner::ends_group(gpt({"parallelism.pp=8"})).inside == Inside{2, 2});
  CHECK(planner::ends_group(gpt({"parallelism.pp=4", "parallelism.tp=2"})).inside == Inside{2, 2});
  CHECK(planner::ends_group(layout(8, 8)).inside == Inside{1, 2});
}

TEST_CASE("a narrower tier between node and fabric keeps its own share of a group") {
  const Scenario s = layout(2, 1,
                            {"cluster.network=[{name: nvlink, size: 8, bandwidth: 300 GB/s, latency: 1 us},"
                             " {name: rack, size: 32, bandwidth: 50 GB/s, latency: 2 us},"
                             " {name: spine, bandwidth: 25 GB/s, latency: 3 us}]"});
  CHECK(planner::data_group(s).inside == Inside{4, 16, 32});
  CHECK(planner::tier_names(s, planner::data_group(s)) == std::vector<std::string>{"nvlink", "rack", "spine"});
}

TEST_CASE("ranks are dealt along the order, nearest first") {
  using planner::Degrees;
  const struct {
    const char* order;
    int64_t rank, tp, pp, dp;
  } rows[] = {
      {"tp-cp-ep-dp-pp", 0, 0, 0, 0},  {"tp-cp-ep-dp-pp", 5, 1, 0, 1},  {"tp-cp-ep-dp-pp", 31, 3, 0, 7},
      {"tp-cp-ep-dp-pp", 32, 0, 1, 0}, {"tp-cp-ep-dp-pp", 63, 3, 1, 7}, {"tp-cp-ep-pp-dp", 5, 1, 1, 0},
      {"pp-dp-ep-cp-tp", 5, 0, 1, 2},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.order));
    CAPTURE(row.rank);
    const Scenario s = layout(4, 2, {std::string("parallelism.order=") + row.order});  // dp 8
    CHECK(planner::index_of(s, &Degrees::tp, row.rank) == row.tp);
    CHECK(planner::index_of(s, &Degrees::pp, row.rank) == row.pp);
    CHECK(planner::index_of(s, &Degrees::dp, row.rank) == row.dp);
  }
}
