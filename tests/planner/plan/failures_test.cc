// What failures cost: the interval between checkpoints, asynchronous saving, spares - against arithmetic done by hand,
// published figures and runs that are played.
#include <doctest/doctest.h>

#include <random>

#include "tests/planner/sample.h"

using planner::RunCost;
using sample::gpt;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

/// 64 GPUs that fail every 1000 h together; a save blocks for 50 s.
RunCost run(const Sets& more = {}) {
  return planner::make_run_cost(
      gpt(Sets{"cluster.gpus=64", "job.tokens=1e9", "cluster.price=2 USD/h", "cluster.node_power=10 kW",
               "cluster.network_power=0 W", "cluster.pue=1.25", "cluster.mtbf=64000 h",
               "cluster.checkpoint={save: 50 s, detect: 600 s, restart: 900 s}"} +
          more),
      10);
}

constexpr double kBetweenFailures = 3.6e6;

/// Minutes between two saves of Daly's example: 5 minutes to save, `mtbf` of the whole machine.
double between_saves(const std::string& mtbf) {
  const RunCost c = run({"cluster.gpus=8", "cluster.mtbf=8 * " + mtbf,
                         "cluster.checkpoint={save: 5 min, restart: 10 min, detect: 0 s, formula: daly}"});
  return c.checkpoint_interval_seconds / 60 - 5;
}

/// Times in seconds. `background`: the rest of a save, beside the next interval.
struct Machine {
  double mtbf, save, background, recovery;
};

/// Work done over time on the wall, of a run that is played: saves begin every `interval`; a failure throws it back to
/// the last save that was complete. Failures strike saves and recoveries too.
double played(const Machine& m, double interval) {
  std::mt19937_64 random(1);
  const auto next_failure = [&] { return -m.mtbf * std::log1p(-std::ldexp(static_cast<double>(random() >> 11), -53)); };
  double wall = 0, done = 0, kept = 0, pending = 0, failure = next_failure();
  const auto passes = [&](double seconds) {  // false: it fails meanwhile
    if (failure > seconds) return failure -= seconds, wall += seconds, true;
    wall += failure;
    failure = next_failure();
    return false;
  };
  const auto recover = [&] {
    while (!passes(m.recovery)) {
    }
    done = pending = kept;
  };
  const double work = interval - m.save;
  while (wall < 20000 * m.mtbf) {
    if (!passes(m.background)) {
      recover();
      continue;
    }
    kept = pending;  // now the last save is complete
    if (!passes(work - m.background) || !passes(m.save)) recover();
    else pending = done += work;
  }
  return kept / wall;
}

}  // namespace

TEST_CASE("an interval of one's own is kept, and costs what it must") {
  const RunCost c = run({"cluster.checkpoint.interval=1 h"});
  CHECK(c.checkpoint_interval_seconds == 3600);
  CHECK(near(c.goodput, 1 - (50.0 / 3600 + (1800 + 600 + 900) / kBetweenFailures)));
  CHECK(c.goodput < run().goodput);  // Young's is the best one
  for (const char* other : {"2 h", "5 h", "6 h", "10 h", "100 h"})
    CHECK(run({"cluster.checkpoint.interval=" + std::string(other)}).goodput <= run().goodput);
}

TEST_CASE("of an asynchronous save the blocking part counts; a failure loses what the rest of it held") {
  const RunCost c = run({"cluster.checkpoint.save=5 s", "cluster.checkpoint.background=45 s"});
  const double interval = std::sqrt(2 * 5 * kBetweenFailures);
  CHECK(near(c.checkpoint_interval_seconds, interval));
  CHECK(near(c.goodput, 1 - (5 / interval + (interval / 2 + 45 + 600 + 900) / kBetweenFailures)));
  CHECK(c.goodput > run().goodput);
  CHECK(near(c.recovery_seconds, 1500));
}

TEST_CASE("checkpoints are no closer than a save takes") {
  const Sets slow{"cluster.checkpoint.save=1 s", "cluster.checkpoint.background=3 h"};
  CHECK(run(slow).checkpoint_interval_seconds == 3 * 3600 + 1);
  CHECK(run(slow + Sets{"cluster.checkpoint.interval=4 h"}).checkpoint_interval_seconds == 4 * 3600);
}

TEST_CASE("Daly's interval is that of his figures 3 to 5") {
  CHECK(std::round(between_saves("24 h")) == 117);
  CHECK(std::round(between_saves("6 h")) == 57);
  CHECK(std::round(between_saves("15 min") * 10) == 91);
  CHECK(near(between_saves("2.5 min"), 2.5));  // below half a save: the time between failures
}

TEST_CASE("both formulas agree where failures are rare, and Daly's stays right where they are not") {
  const Sets daly{"cluster.checkpoint.formula=daly"};
  CHECK(run(daly).goodput == doctest::Approx(run().goodput).epsilon(2e-5));
  const Sets often{"cluster.mtbf=64 * 2 h"};
  const RunCost c = run(often + daly);
  const double real = played({7200, 50, 0, 1500}, c.checkpoint_interval_seconds);
  CHECK(c.goodput == doctest::Approx(real).epsilon(0.01));
  CHECK(run(often).goodput < 0.95 * real);  // one failure at a time
  const Sets hopeless{"cluster.mtbf=64 * 1 min"};
  CHECK(run(hopeless + daly).goodput == 0);
  CHECK_FALSE(run(hopeless + daly).days.has_value());
}

TEST_CASE("the goodput of a run that is played, saved in steps or in the background") {
  const Sets rarely{"cluster.mtbf=64 * 50 h", "cluster.checkpoint.interval=2 h"};
  CHECK(run(rarely).goodput == doctest::Approx(played({180000, 50, 0, 1500}, 7200)).epsilon(0.003));
  const Sets async{"cluster.checkpoint.background=40 min"};
  CHECK(run(rarely + async).goodput == doctest::Approx(played({180000, 50, 2400, 1500}, 7200)).epsilon(0.003));
}

TEST_CASE("saves that cost nothing leave Daly's recovery") {
  const RunCost c = run({"cluster.checkpoint.save=0 s", "cluster.checkpoint.formula=daly"});
  CHECK(c.checkpoint_interval_seconds == 0);
  CHECK(near(c.goodput, std::exp(-1500 / kBetweenFailures)));
}

TEST_CASE("without a spare a failed job waits for the repair, with spares for what exceeds them") {
  const Sets repair{
      "cluster.checkpoint.repair=1000 h"};  // as long as between two failures: one node is away on average
  const double none = std::exp(-1.0);       // no node is away
  const auto waits = [&](int spares) {
    return run(repair + Sets{"cluster.spares=" + std::to_string(spares)}).recovery_seconds - 1500;
  };
  CHECK(near(waits(0), kBetweenFailures));
  CHECK(near(waits(1), kBetweenFailures * none));  // 1 - (1 - P(0))
  CHECK(near(waits(2), kBetweenFailures * (none - (1 - 2 * none)), 1e-6));
  CHECK(waits(3) > 0);
  CHECK(waits(40) == doctest::Approx(0).epsilon(1e-6));
  CHECK(run({"cluster.spares=4"}).recovery_seconds == 1500);  // nothing to wait for
}

TEST_CASE("spares keep a run going: goodput against the same without") {
  const Sets repair{"cluster.checkpoint.repair=24 h"};
  const RunCost without = run(repair), with = run(repair + Sets{"cluster.spares=2"});
  CHECK(near(without.goodput, run().goodput - 24 * 3600 / kBetweenFailures));
  CHECK(with.goodput > without.goodput);
  CHECK(with.goodput == doctest::Approx(run().goodput).epsilon(1e-4));
  CHECK(*with.days < *without.days);
}

TEST_CASE("a board that is held below its power draws that much less") {
  const double kwh = *run({"cluster.gpu.power=400 W"}).kwh;
  const double hours = kwh / (80 * 1.25);  // eight nodes of 10 kW
  CHECK(near(*run({"cluster.gpu.power=400 W", "cluster.gpu.power_cap=300 W"}).kwh, (80 - 6.4) * 1.25 * hours));
  const Sets slow{"cluster.gpu.power=400 W", "cluster.gpu.clock=1 GHz", "cluster.gpu.clock_cap=500 MHz"};
  CHECK(near(*run(slow).kwh, (80 - 64 * 0.4 * 15 / 16) * 1.25 * hours));
  CHECK(*run({"cluster.gpu.power=400 W", "cluster.gpu.power_cap=500 W"}).kwh == kwh);
  CHECK(*run({"cluster.node_power=0 W", "cluster.gpu.power_cap=1 W"}).kwh == 0);
}

TEST_CASE("spares are paid for, and draw their idle power") {
  const RunCost none = run(), two = run({"cluster.spares=2", "cluster.node_idle_power=2 kW"});
  CHECK(two.spare_gpus == 16);
  CHECK(two.gpus == 64);
  CHECK(near(*two.gpu_hours, *none.gpu_hours));  // of the job
  CHECK(near(*two.usd, *none.usd * 80 / 64));
  CHECK(near(*two.kwh, *none.kwh * 84 / 80));                        // 8 nodes of 10 kW, 2 of 2 kW
  CHECK(near(*run({"cluster.spares=2"}).kwh, *none.kwh * 86 / 80));  // idle: 0.3 of a node under load
}
