// The region of interest: which rows it has, and what each holds.
#include "planner/studies/comm/region.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "planner/plan/comm.h"
#include "tests/planner/workload/lower/mixtures.h"

namespace {

using planner::Region;
using planner::RegionRow;
using sample::Sets;
using sample::operator+;

const RegionRow* find(const Region& r, const std::string& name) {
  const auto at = std::ranges::find(r.layers, name, &RegionRow::name);
  return at == r.layers.end() ? nullptr : &*at;
}
double bytes(const Region& r) {
  return std::accumulate(r.layers.begin(), r.layers.end(), 0.0,
                         [](double sum, const RegionRow& row) { return sum + row.collective_bytes; });
}

TEST_CASE("a layer has a row for each matrix and one for biases and norms") {
  const Region r = planner::cost_region(sample::gpt({"parallelism.tp=2"}));
  REQUIRE(r.layers.size() == 5);  // qkv, projection, two of the MLP
  const RegionRow& rest = r.layers.back();
  CHECK(rest.name == "biases and norms");
  CHECK(rest.compute_seconds == 0);
  CHECK(rest.collective_bytes > 0);
  for (size_t i = 0; i + 1 < r.layers.size(); ++i) {
    CHECK(r.layers[i].compute_seconds > 0);
    CHECK(r.layers[i].collective_bytes > 10 * rest.collective_bytes);
  }
}

TEST_CASE("the gradients of a layer are those of its trained parameters") {
  for (const Sets& layout :
       {Sets{}, Sets{"parallelism.tp=4"}, Sets{"parallelism.zero=1"}, Sets{"parallelism.zero=3"}}) {
    const planner::Scenario s = sample::gpt(layout);
    const double trained = sample::workload(s).layer().trained().sum();
    CHECK(bytes(planner::cost_region(s)) == doctest::Approx(trained * s.software.reduce_bytes).epsilon(1e-12));
  }
}

TEST_CASE("shards are scattered: the same bytes in less time than their sum takes") {
  const Region sum = planner::cost_region(sample::gpt()),
               shards = planner::cost_region(sample::gpt({"parallelism.zero=1"}));
  REQUIRE(sum.layers.size() == shards.layers.size());
  for (size_t i = 0; i < sum.layers.size(); ++i) {
    CHECK(sum.layers[i].collective_bytes == shards.layers[i].collective_bytes);
    CHECK(sum.layers[i].compute_seconds == shards.layers[i].compute_seconds);
    CHECK(shards.layers[i].collective_seconds < sum.layers[i].collective_seconds);
  }
  CHECK(*shards.overlapped_over_hiding_compute < *sum.overlapped_over_hiding_compute);
}

TEST_CASE("the ratio is the rows' collectives over their GEMMs") {
  const Region r = planner::cost_region(sample::llama({"parallelism.tp=2"}));
  double compute = 0, network = 0;
  for (const RegionRow& row : r.layers) {
    compute += row.compute_seconds;
    network += row.collective_seconds;
  }
  CHECK(*r.overlapped_over_hiding_compute == doctest::Approx(network / compute).epsilon(1e-12));
  CHECK(r.region_seconds == doctest::Approx(8 * (network + compute)).epsilon(1e-12));
}

TEST_CASE("alone in its data group a rank reduces nothing, and no row but the matrices' is left") {
  const Region r = planner::cost_region(sample::gpt({"parallelism.tp=8"}));
  CHECK(r.layers.size() == 4);
  CHECK(bytes(r) == 0);
  CHECK(r.region_operators == 8 * 4 * 2);
  CHECK(!r.overlapped_over_hiding_compute);
}

TEST_CASE("rows of several kinds of layer carry the kind's name") {
  const Region r = planner::cost_region(mixtures::mixture());
  for (const RegionRow& row : r.layers) CHECK_MESSAGE(row.name.find('/') != std::string::npos, row.name);
  CHECK(std::ranges::count_if(r.layers, [](const RegionRow& row) { return row.name.ends_with("/biases and norms"); }) ==
        2);
}

TEST_CASE("experts on every rank of the data group are each whole: nothing of theirs is reduced") {
  const planner::Scenario spread = mixtures::mixture({"parallelism={ep: 16, dp: 16}", "cluster.gpus=16"});
  const planner::Workload workload = sample::workload(spread);
  const planner::Block& layer = mixtures::expert_layer(workload);
  const std::string routed = [&] {
    for (const planner::WorkOp& op : layer.ops)
      if (op.routed && planner::is_weight_gradient(op)) return (layer.name + "/" + planner::matrix_of(op)).str();
    return std::string();
  }();
  const Region apart = planner::cost_region(spread);
  const Region together = planner::cost_region(mixtures::mixture({"parallelism.dp=16", "cluster.gpus=16"}));
  REQUIRE(find(apart, routed));
  REQUIRE(find(together, routed));
  CHECK(find(apart, routed)->collective_bytes == 0);
  CHECK(find(together, routed)->collective_bytes > 0);
  for (const RegionRow& row : apart.layers)
    if (row.name.find("attention") != std::string::npos) CHECK(row.collective_bytes > 0);
}

}  // namespace
