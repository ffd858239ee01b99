// What a plan's step and dollars depend on.
#include "planner/studies/whatif/sensitivity.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/planner/sample.h"

using planner::Sensitivity;
using sample::Sets;

namespace {

const Sets kPriced{"job.tokens=1e9", "cluster.price=2 USD/h"};

std::map<std::string, Sensitivity> by_field(const planner::Scenario& s) {
  std::map<std::string, Sensitivity> rows;
  for (Sensitivity& row : planner::sensitivities(s)) rows[row.field] = row;
  return rows;
}

std::map<std::string, Sensitivity> llama(const Sets& sets = {}) {
  using sample::operator+;
  return by_field(sample::llama(kPriced + sets));
}

}  // namespace

TEST_CASE("sensitivities are those of a plan with the field 10 % larger") {
  const struct {
    const char *field, *set;
  } rows[] = {{"cluster.gpu.memory_bandwidth", "2242.9 GB/s"},
              {"cluster.network[0].bandwidth", "330 GB/s"},
              {"cluster.price", "2.2 USD/h"}};
  const planner::Scenario base = sample::llama({"job.tokens=1e9", "cluster.price=2 USD/h", "parallelism.tp=8"});
  REQUIRE(base.cluster.gpu.memory_bandwidth.value == 2039e9);
  REQUIRE(base.cluster.network[0].bandwidth.value == 300e9);
  const auto found = by_field(base);
  const planner::Plan before = sample::plan(base);
  for (const auto& row : rows) {
    CAPTURE(row.field);
    const planner::Plan after = sample::plan(sample::llama(
        {"job.tokens=1e9", "cluster.price=2 USD/h", "parallelism.tp=8", std::string(row.field) + "=" + row.set}));
    const Sensitivity& s = found.at(row.field);
    CHECK(s.step_elasticity ==
          doctest::Approx(std::log(after.step->seconds / before.step->seconds) / std::log(1.1)).epsilon(1e-9));
    CHECK(*s.usd_elasticity == doctest::Approx(std::log(*after.cost->usd / *before.cost->usd) / std::log(1.1)));
  }
}

TEST_CASE("measured tables move with the peaks of the machine") {
  const auto rows = llama({"parallelism.tp=8"});
  CHECK(rows.at("cluster.gpu.flops").step_elasticity < -0.1);
  CHECK(rows.at("cluster.gpu.memory_bandwidth").step_elasticity < -0.05);
  CHECK(rows.at("cluster.network[0].bandwidth").step_elasticity < -0.02);
  // Nothing gets more from a machine than it gives: together at most in proportion.
  double together = 0;
  for (const auto& [field, row] : rows) together += row.step_elasticity;
  CHECK(together > -1);
  CHECK(together < 0);
}

TEST_CASE("a tier that nothing crosses does not matter") {
  const auto rows = llama();
  CHECK(rows.at("cluster.network[1].bandwidth").step_elasticity == 0);
  CHECK(rows.at("cluster.network[1].latency").step_elasticity == 0);
  const auto wide = llama({"cluster.gpus=16"});
  CHECK(wide.at("cluster.network[1].bandwidth").step_elasticity < 0);
  CHECK(wide.at("cluster.network[1].latency").step_elasticity > 0);
}

TEST_CASE("memory matters where it ends, price for dollars alone") {
  const auto rows = llama();
  const planner::Plan plan = sample::plan(sample::llama());
  const Sensitivity& memory = rows.at("cluster.gpu.memory");
  CHECK(memory.step_elasticity == 0);
  CHECK(!rows.at("cluster.price").headroom_fraction);
  CHECK(rows.at("cluster.price").step_elasticity == 0);
  CHECK(*rows.at("cluster.price").usd_elasticity == doctest::Approx(1));
  CHECK(!rows.contains("cluster.power_price"));
  // The smallest memory that may fit is what the headroom leaves; a byte in a thousand less does not.
  const double least = plan.memory->device.capacity_bytes * (1 - *memory.headroom_fraction);
  const auto with = [](double bytes) {
    return planner::make_plan(sample::llama({"cluster.gpu.memory=" + std::to_string(bytes) + " B"}));
  };
  CHECK(with(least * 1.001).feasible);
  CHECK(!with(least * 0.999).feasible);
}

TEST_CASE("rent and power share the dollars") {
  const auto rows = llama({"cluster.power_price=0.2 USD/kWh"});
  const double rent = *rows.at("cluster.price").usd_elasticity, power = *rows.at("cluster.power_price").usd_elasticity;
  CHECK(rent > 0);
  CHECK(power > 0);
  CHECK(rent + power == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("dollars are null without a price, the host appears where something is offloaded") {
  const auto rows = by_field(sample::llama({"cluster.price=null"}));
  CHECK(!rows.contains("cluster.price"));
  CHECK(!rows.contains("cluster.host.bandwidth"));
  for (const auto& [field, row] : rows) CHECK(!row.usd_elasticity);
  const auto offloading = llama({"parallelism.offload.optimizer=1", "parallelism.zero=1"});
  CHECK(offloading.at("cluster.host.memory_bandwidth").step_elasticity < 0);
  CHECK(*offloading.at("cluster.host.memory").headroom_fraction > 0);
}
