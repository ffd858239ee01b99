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
  const planner::MemoryErrors& errors = planner::memory_errors();
  const double unknown = std::hypot(errors.between_sd, errors.groups_sd, errors.within_sd);
  CHECK(planner::memory_error(sample::gpt({"software.name=mine"})).sd == doctest::Approx(unknown));
  const MemoryError measured = planner::memory_error(sample::gpt({"software.name=simumax-megatron"}));
  CHECK(measured.sd < unknown);
  CHECK(std::abs(measured.mean) < 0.05);
}
