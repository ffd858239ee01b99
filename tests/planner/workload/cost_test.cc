// The cost of a run against arithmetic done by hand.
#include <doctest/doctest.h>

#include "tests/planner/sample.h"

using planner::RunCost;
using planner::Scenario;
using sample::gpt;
using sample::near;
using sample::Sets;

namespace {

/// 64 GPUs in nodes of 8; 1e9 tokens in steps of 64 x 1024.
Scenario run(const Sets& more = {}) {
  return gpt(sample::operator+
             ({"cluster.gpus=64", "job.tokens=1000000000", "cluster.price=2 USD/h", "cluster.node_power=10 kW",
               "cluster.network_power=100 W", "cluster.pue=1.25", "cluster.mtbf=64000 h",
               "cluster.checkpoint={save: 50 s, detect: 600 s, restart: 900 s}"},
              more));
}

}  // namespace

TEST_CASE("checkpoints are saved every sqrt(2 save MTBF): Young 1974, Daly 2006") {
  const RunCost c = planner::make_run_cost(run(), 10);
  // 64000 h / 64 GPUs = 1000 h = 3.6e6 s between failures; sqrt(2 * 50 * 3.6e6) = 18973.7 s.
  CHECK(c.checkpoint_interval_seconds == doctest::Approx(18973.666).epsilon(1e-6));
  const double waste = 50 / 18973.666 + (18973.666 / 2 + 600 + 900) / 3.6e6;
  CHECK(c.goodput == doctest::Approx(1 - waste).epsilon(1e-9));
}

TEST_CASE("steps, days, GPU hours and failures") {
  const RunCost c = planner::make_run_cost(run(), 10);
  CHECK(*c.steps == 15259);  // ceil(1e9 / 65536)
  CHECK(*c.tokens == 1e9);
  CHECK(near(*c.days_ideal, 152590.0 / 86400));
  CHECK(near(*c.days, 152590.0 / 86400 / c.goodput));
  CHECK(near(*c.gpu_hours, 64 * 152590.0 / 3600 / c.goodput));
  CHECK(near(*c.expected_failures, 152590.0 / c.goodput / 3.6e6));
}

TEST_CASE("energy is node and network power times PUE times the time on the wall") {
  const RunCost c = planner::make_run_cost(run(), 10);
  const double watts = (8 * 10e3 + 64 * 100.0) * 1.25;  // 108 kW
  CHECK(near(*c.kwh, watts / 1000 * *c.days * 24));
}

TEST_CASE("rent is GPU hours times price; a power price comes on top") {
  const RunCost rent = planner::make_run_cost(run(), 10);
  CHECK(near(*rent.usd, 2 * *rent.gpu_hours));
  CHECK(near(*rent.usd_per_1e12_tokens, 1000 * *rent.usd));
  const RunCost power = planner::make_run_cost(run({"cluster.power_price=0.1 USD/kWh"}), 10);
  CHECK(near(*power.usd, *rent.usd + 0.1 * *rent.kwh));
}

TEST_CASE("a machine of one's own has an hourly price: what it cost over the hours in which it works") {
  const Sets own{"cluster.price=null", "cluster.purchase={amortisation: 1000 d, utilisation: 0.5}"};
  const double hourly = 200000.0 / 8 / (1000 * 24 * 0.5);
  const RunCost node = planner::make_run_cost(run(sample::operator+(own, {"cluster.purchase.node_price=2e5 USD"})), 10);
  CHECK(near(*node.usd_per_gpu_hour, hourly));
  CHECK(near(*node.usd, hourly * *node.gpu_hours));
  CHECK_FALSE(node.usd_power.has_value());
  const RunCost gpu = planner::make_run_cost(
      run(sample::operator+(own, {"cluster.purchase.gpu_price=25e3 USD", "cluster.power_price=0.1 USD/kWh"})), 10);
  CHECK(near(*gpu.usd_per_gpu_hour, hourly));
  CHECK(near(*gpu.usd_power, 0.1 * *gpu.kwh));
  CHECK(near(*gpu.usd, *node.usd + *gpu.usd_power));
}

TEST_CASE("no tokens, no run; no price, no bill") {
  const RunCost nothing = planner::make_run_cost(gpt({"cluster.gpus=64"}), 10);
  CHECK_FALSE(nothing.steps.has_value());
  CHECK_FALSE(nothing.days.has_value());
  CHECK_FALSE(nothing.kwh.has_value());
  CHECK(nothing.goodput > 0);
  Scenario unpriced = run();
  unpriced.cluster.price.reset();
  const RunCost free = planner::make_run_cost(unpriced, 10);
  CHECK(free.days.has_value());
  CHECK(free.kwh.has_value());
  CHECK_FALSE(free.usd.has_value());
  CHECK_FALSE(free.usd_per_gpu_hour.has_value());
  CHECK_FALSE(free.usd_per_1e12_tokens.has_value());
}

TEST_CASE("saving that costs nothing leaves the wait for detection and restart") {
  const RunCost c = planner::make_run_cost(run({"cluster.checkpoint.save=0 s"}), 10);
  CHECK(c.checkpoint_interval_seconds == 0);
  CHECK(c.goodput == doctest::Approx(1 - 1500 / 3.6e6).epsilon(1e-12));
}

TEST_CASE("failures faster than recovery: goodput 0 and a run that never ends") {
  const RunCost c = planner::make_run_cost(run({"cluster.mtbf=10 h"}), 10);
  CHECK(c.goodput == 0);
  CHECK(c.days_ideal.has_value());
  CHECK_FALSE(c.days.has_value());
  CHECK_FALSE(c.usd.has_value());
  CHECK_FALSE(c.kwh.has_value());
}

TEST_CASE("more GPUs fail more often") {
  const RunCost few = planner::make_run_cost(run(), 10),
                many = planner::make_run_cost(run({"cluster.gpus=4096", "job.global_batch=4096"}), 10);
  CHECK(many.goodput < few.goodput);
  CHECK(near(few.checkpoint_interval_seconds, 8 * many.checkpoint_interval_seconds));
}

TEST_CASE("a longer step is a longer, dearer run in proportion") {
  const RunCost one = planner::make_run_cost(run(), 1), two = planner::make_run_cost(run(), 2);
  CHECK(near(*two.days, 2 * *one.days));
  CHECK(near(*two.usd, 2 * *one.usd));
  CHECK(near(*two.kwh, 2 * *one.kwh));
  CHECK(two.goodput == one.goodput);
}
