// Whether a peak fits, as a probability.
#include "planner/plan/memory_fit.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/planner/sample.h"

using planner::FitVerdict;
using planner::MemoryError;

TEST_CASE("a peak of the capacity fits in half of the cases, if predictions are right on average") {
  CHECK(planner::fit_probability({.mean = 0, .sd = 0.1}, 80, 80) == doctest::Approx(0.5));
  // One standard deviation below and above it: 84.13 and 15.87 %.
  CHECK(planner::fit_probability({.mean = 0, .sd = 0.1}, 80 * std::exp(-0.1), 80) ==
        doctest::Approx(0.8413).epsilon(1e-4));
  CHECK(planner::fit_probability({.mean = 0.2, .sd = 0.1}, 80 * std::exp(-0.1), 80) ==
        doctest::Approx(0.1587).epsilon(1e-3));
  CHECK(planner::fit_probability({.mean = 0, .sd = 0.1}, 0, 80) == 1);
}

TEST_CASE("the largest peak of a probability has that probability") {
  for (const MemoryError error : {MemoryError{.mean = 0, .sd = 0.05}, MemoryError{.mean = -0.1, .sd = 0.3}})
    for (const double p : {0.05, 0.2, 0.5, 0.8, 0.95, 0.9999}) {
      CAPTURE(p);
      CHECK(planner::fit_probability(error, planner::most_bytes(error, p, 80), 80) == doctest::Approx(p).epsilon(1e-5));
    }
}

TEST_CASE("a verdict is uncertain from 5 % on, and certain from 95 % on") {
  CHECK(planner::verdict_of(0.0499) == FitVerdict::does_not_fit);
  CHECK(planner::verdict_of(0.05) == FitVerdict::uncertain);
  CHECK(planner::verdict_of(0.9499) == FitVerdict::uncertain);
  CHECK(planner::verdict_of(0.95) == FitVerdict::fits);
}

TEST_CASE("software that nobody measured spreads as families do, and measured software less") {
  const planner::Scenario unknown = sample::gpt({"software.errors={use: published}"});
  const planner::PeakErrors& spreads = unknown.software.errors.memory;
  CHECK(spreads.families.empty());
  const double whole = std::hypot(spreads.family, spreads.group, spreads.run);
  CHECK(planner::memory_error(unknown).sd == doctest::Approx(whole));
  CHECK(planner::memory_error(unknown).mean == 0);
  const planner::Scenario known = sample::gpt({"software={use: simumax-megatron}"});
  CHECK(planner::memory_error(known).sd < whole);
  CHECK(std::abs(planner::memory_error(known).mean) < 0.05);
  // What a name says decides nothing.
  const planner::Scenario renamed = sample::gpt({"software={use: simumax-megatron}", "software.name=mine"});
  CHECK(planner::memory_error(renamed).sd == planner::memory_error(known).sd);
}

TEST_CASE("peaks on another platform say nothing, and an entry has those of the one it extends") {
  const auto sd = [](const sample::Sets& sets) { return planner::memory_error(sample::gpt(sets)).sd; };
  const double whole = sd({"software.errors={use: published}"});
  CHECK(sd({"software={use: simumax-megatron}", "cluster.gpu.platform=synapse"}) == doctest::Approx(whole));
  CHECK(sd({"software={use: nemo}"}) == sd({"software={use: megatron-core}"}));
  CHECK(sd({"software={use: nemo}"}) < whole);
}
