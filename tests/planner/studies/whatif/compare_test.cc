// What differences between two scenarios are worth.
#include "planner/studies/whatif/compare.h"

#include <doctest/doctest.h>

#include <numeric>

#include "planner/studies/whatif/differing.h"
#include "tests/planner/sample.h"

using planner::Difference;
using planner::LoadedScenario;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kPriced{"job.tokens=1e9", "cluster.price=2 USD/h"};

LoadedScenario gpt(const Sets& sets = {}) { return sample::load(sample::kGpt, kPriced + sets); }
LoadedScenario llama(const Sets& sets = {}) { return sample::load(sample::kLlama, kPriced + sets); }

std::vector<std::string> causes(const std::vector<Difference>& rows) {
  std::vector<std::string> out;
  for (const Difference& d : rows) out.push_back(d.cause);
  return out;
}

double seconds(const LoadedScenario& s) { return sample::plan(s.scenario).step->seconds; }
double usd(const LoadedScenario& s) { return *sample::plan(s.scenario).cost->usd; }

double sum_seconds(const std::vector<Difference>& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0, [](double x, const Difference& d) { return x + d.seconds; });
}
double sum_usd(const std::vector<Difference>& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0, [](double x, const Difference& d) { return x + *d.usd; });
}

/// Sums to the last bit, and B against A is A against B with the other sign.
void check_laws(const LoadedScenario& a, const LoadedScenario& b) {
  const std::vector<Difference> there = compare(a, b), back = compare(b, a);
  CHECK(sum_seconds(there) == seconds(b) - seconds(a));
  CHECK(sum_usd(there) == usd(b) - usd(a));
  REQUIRE(causes(there) == causes(back));
  for (size_t i = 0; i < there.size(); ++i) {
    CHECK(there[i].seconds == -back[i].seconds);
    CHECK(*there[i].usd == -*back[i].usd);
    CHECK(there[i].a == back[i].b);
    if (there[i].cause != "rounding") continue;
    CHECK(std::abs(there[i].seconds) < 1e-12 * seconds(a));
    CHECK(std::abs(*there[i].usd) < 1e-12 * usd(a));
  }
}

/// Moving every unit makes the one plan the other.
void check_complete(const LoadedScenario& a, const LoadedScenario& b) {
  planner::Scenario s = a.scenario;
  for (const planner::DifferenceUnit& unit : planner::differing(a, b)) unit.take(s, b);
  const planner::Plan moved = planner::make_plan(s), wanted = planner::make_plan(b.scenario);
  REQUIRE(moved.step.has_value());
  CHECK(moved.step->seconds == wanted.step->seconds);
  CHECK(moved.cost->usd == wanted.cost->usd);
  CHECK(moved.memory->device.peak_bytes == wanted.memory->device.peak_bytes);
}

}  // namespace

TEST_CASE("equal scenarios have no differences") {
  CHECK(compare(gpt(), gpt()).empty());
  CHECK(planner::differing(gpt(), gpt()).empty());
  // Names and conditions cost nothing; a written default is not a difference.
  const Sets free{"where=[\"step < 1 h\"]", "goal={minimize: usd, deadline: 9 d}", "model.name=own"};
  CHECK(compare(gpt(), gpt(free)).empty());
  CHECK(compare(gpt(), gpt({"parallelism.tp=1", "job.optimizer=adam"})).empty());
}

TEST_CASE("one difference is worth all of the difference") {
  const LoadedScenario a = gpt(), b = gpt({"parallelism.recompute=full"});
  const std::vector<Difference> rows = compare(a, b);
  REQUIRE(causes(rows) == std::vector<std::string>{"parallelism.recompute"});
  CHECK(rows[0].seconds == seconds(b) - seconds(a));
  CHECK(rows[0].seconds > 0);
  CHECK(rows[0].a == "none");
  CHECK(rows[0].b == "full");
}

TEST_CASE("twice the price changes dollars alone") {
  const LoadedScenario a = gpt(), b = gpt({"cluster.price=4 USD/h"});
  const std::vector<Difference> rows = compare(a, b);
  REQUIRE(causes(rows) == std::vector<std::string>{"cluster.price"});
  CHECK(rows[0].seconds == 0);
  CHECK(sample::near(*rows[0].usd, usd(a), 1e-12));
}

TEST_CASE("two differences share their interaction evenly") {
  const Sets full{"parallelism.recompute=full"}, price{"cluster.price=4 USD/h"};
  const LoadedScenario a = gpt(), b = gpt(full + price);
  const std::vector<Difference> rows = compare(a, b);
  REQUIRE(causes(rows) == std::vector<std::string>{"cluster.price", "parallelism.recompute"});
  const double of_price = ((usd(gpt(price)) - usd(a)) + (usd(b) - usd(gpt(full)))) / 2;
  CHECK(sample::near(*rows[0].usd, of_price, 1e-12));
  CHECK(rows[0].seconds == 0);
  CHECK(sample::near(*rows[1].usd, ((usd(gpt(full)) - usd(a)) + (usd(b) - usd(gpt(price)))) / 2, 1e-12));
  CHECK(rows[1].seconds == seconds(b) - seconds(a));
}

TEST_CASE("degrees that only work together are one row") {
  const Sets layout{"parallelism.tp=4", "parallelism.pp=2", "parallelism.dp=1"};
  const LoadedScenario a = gpt({"parallelism.dp=8"}), b = gpt(layout + Sets{"parallelism.sequence_parallel=true"});
  const std::vector<Difference> rows = compare(a, b);
  REQUIRE(rows.size() >= 2);
  CHECK(rows[0].cause.starts_with("parallelism.tp + parallelism.pp + parallelism.dp"));
  CHECK(rows[0].a.starts_with("1, 1, 8"));
  CHECK(rows[0].b.starts_with("4, 2, 1"));
  CHECK(rows.back().cause == "parallelism.sequence_parallel");
  check_laws(a, b);
}

TEST_CASE("what follows a difference is no row of its own") {
  // job.document is job.sequence, head_dim is hidden / heads, the bytes of fp32 copies follow the precision.
  CHECK(causes(compare(gpt(), gpt({"job.sequence=512"}))) == std::vector<std::string>{"job.sequence"});
  CHECK(causes(compare(gpt(), gpt({"model.heads=8"}))) == std::vector<std::string>{"model.heads"});
  CHECK(causes(compare(gpt(), gpt({"job.precision=fp32"}))) == std::vector<std::string>{"job.precision"});
  // Written, it is.
  CHECK(causes(compare(gpt({"job.document=256"}), gpt({"job.sequence=512", "job.document=128"}))) ==
        std::vector<std::string>{"job.sequence", "job.document"});
  // zero_group is dp * cp, with dp the remaining factor of the GPUs.
  CHECK(causes(compare(gpt(), gpt({"cluster.gpus=16"}))) == std::vector<std::string>{"cluster.gpus"});
}

TEST_CASE("another catalogue entry is one row") {
  const LoadedScenario a = llama(), b = llama({"software={use: torchtitan}"});
  CHECK(causes(compare(a, b)) == std::vector<std::string>{"software"});
  CHECK(compare(a, b)[0].a == "megatron-core");
  CHECK(compare(a, b)[0].b == "torchtitan");
  const LoadedScenario h100 = llama({"cluster={use: dgx-h100, gpus: 8, price: 2 USD/h}"});
  const std::vector<std::string> found = causes(compare(a, h100));
  CHECK(found[0] == "cluster.network");
  CHECK(found[1] == "cluster.gpu");
  CHECK(compare(a, h100)[1].seconds < 0);
}

TEST_CASE("another GPU brings its collectives along") {
  const LoadedScenario a = llama(), b = llama({"cluster.gpu={use: a100-sxm-40gb}"});
  for (const std::string& cause : causes(compare(a, b))) CHECK(!cause.starts_with("cluster.network"));
  check_complete(a, b);
}

TEST_CASE("a figure of a calibration or of a tier is a row") {
  const std::string tier = "cluster.network[0].bandwidth", row = "cluster.gpu.calibration.gemm.bf16.compute_efficiency";
  const std::vector<Difference> rows = compare(llama(), llama({tier + "=100 GB/s", row + "=0.5"}));
  CHECK(causes(rows) == std::vector<std::string>{row, tier});
  for (const Difference& d : rows) CHECK(d.seconds > 0);
}

TEST_CASE("sums, signs and completeness hold for any pair") {
  const std::vector<Sets> some{
      {"parallelism.tp=2"},
      {"parallelism.tp=4", "parallelism.pp=2", "parallelism.microbatch=2"},
      {"job.global_batch=96", "parallelism.pp=4"},
      {"job.precision=fp32", "software={use: ddp-amp}"},
      {"cluster={use: dgx-h100, gpus: 16, price: 3 USD/h}", "parallelism.zero=1"},
      {"cluster.gpu.memory_bandwidth=1 TB/s", "cluster.network[0].latency=9 us", "cluster.power_price=0.2 USD/kWh"},
      {"job.sequence=512", "parallelism.recompute=full", "parallelism.tp=8", "parallelism.sequence_parallel=true"},
  };
  std::vector<LoadedScenario> all{llama()};
  for (const Sets& sets : some) all.push_back(gpt(sets)), all.push_back(llama(sets));
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      CAPTURE(i);
      CAPTURE(k);
      check_laws(all[i], all[k]);
      check_complete(all[i], all[k]);
    }
}

TEST_CASE("dollars are null where either run has none") {
  const LoadedScenario a = gpt(), b = gpt({"cluster.price=null", "parallelism.recompute=full"});
  for (const Difference& d : compare(a, b)) CHECK(!d.usd);
  CHECK(sum_seconds(compare(a, b)) == seconds(b) - seconds(a));
}

TEST_CASE("a layout that does not work has no differences") {
  CHECK(compare(gpt(), gpt({"parallelism.tp=3"})).empty());
  CHECK(compare(gpt({"parallelism.tp=3"}), gpt()).empty());
  CHECK(!compare(gpt(), gpt({"cluster.gpu.memory=1 MB"})).empty());  // does not fit, but has a step
}
