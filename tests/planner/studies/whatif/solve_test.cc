// Break-even values of functions whose turning point is known.
#include "planner/studies/whatif/solve.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using planner::Solved;
using planner::SolveRange;
using planner::Trial;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// `holds` of a value; nullopt: no layout.
using Condition = std::function<std::optional<bool>(double)>;

Solved solved(const SolveRange& range, const Condition& holds) {
  return planner::solve(range, [&](double value) {
    CHECK(value >= range.least);
    CHECK(value <= range.most);
    if (range.whole) CHECK(value == std::floor(value));
    const std::optional<bool> is = holds(value);
    Trial trial{.value = value, .text = {}, .left = {}, .right = {}, .best = {}};
    trial.layouts = is.has_value();
    trial.holds = is.value_or(false);
    return trial;
  });
}

double held(const Solved& s) { return s.trials.at(s.holds.value()).value; }
double failed(const Solved& s) { return s.trials.at(s.fails.value()).value; }

}  // namespace

TEST_CASE("a break-even value has five digits, and the condition holds there") {
  for (const double exact : {3.14159265, 271.8281828, 0.0161803398})
    for (const bool above : {true, false})
      for (const double start : {1.0, exact * 0.99, exact * 1.01, 40.0}) {
        CAPTURE(exact);
        CAPTURE(above);
        CAPTURE(start);
        const Solved s =
            solved({start, 0, kInfinite, false}, [&](double x) { return above ? x >= exact : x <= exact; });
        REQUIRE(s.holds);
        CHECK(s.at_start == (above ? start >= exact : start <= exact));
        CHECK((above ? held(s) >= exact : held(s) <= exact));
        CHECK((above ? failed(s) < exact : failed(s) > exact));
        CHECK(held(s) == doctest::Approx(exact).epsilon(1.1e-4));
        CHECK(failed(s) == doctest::Approx(exact).epsilon(1.1e-4));
        CHECK(s.exceptions.empty());
        CHECK(s.trials.size() < 50);
      }
}

TEST_CASE("whole numbers end on neighbours") {
  for (const double exact : {1.0, 2.0, 777.0, 100000.0})
    for (const double start : {0.0, 1.0, 8.0, 1000.0, 70000.0}) {
      CAPTURE(exact);
      CAPTURE(start);
      // Beyond what doubling and halving reach.
      if (exact > std::max(start, 0.5) * planner::kSolveFactor || start / planner::kSolveFactor >= exact) continue;
      const Solved s = solved({start, 0, 1e7, true}, [&](double x) { return x >= exact; });
      REQUIRE(s.holds);
      CHECK(held(s) == exact);
      CHECK(failed(s) == exact - 1);
    }
}

TEST_CASE("values without a layout say nothing: the bracket ends at the nearest that have one") {
  const Solved s = solved({512, 1, 1e7, true}, [](double x) -> std::optional<bool> {
    if (std::fmod(x, 64) != 0) return std::nullopt;
    return x >= 700;
  });
  CHECK(held(s) == 704);
  CHECK(failed(s) == 640);
  CHECK(s.exceptions.empty());
}

TEST_CASE("a condition that never turns holds at all values or at none, up to the limits of the field") {
  const Solved never = solved({0.5, 0, 1, false}, [](double) { return false; });
  CHECK(!never.holds);
  CHECK(!never.at_start);
  CHECK(never.trials.back().value == 1);
  const Solved always = solved({3, 1, 1000, true}, [](double) { return true; });
  CHECK(!always.holds);
  CHECK(always.at_start);
  CHECK(always.trials.front().value == 1);
  CHECK(always.trials.back().value == 1000);
  CHECK(always.exceptions.empty());
}

TEST_CASE("a share that starts from nothing is found too") {
  const Solved s = solved({0, 0, 1, false}, [](double x) { return x >= 0.3; });
  CHECK(held(s) == doctest::Approx(0.3).epsilon(2e-4));
}

TEST_CASE("a field that acts both ways is told") {
  const Solved s = solved({1, 0, kInfinite, false}, [](double x) { return x >= 3 && x < 5; });
  REQUIRE(s.holds);
  CHECK(held(s) == doctest::Approx(3).epsilon(1e-4));
  REQUIRE(!s.exceptions.empty());
  for (size_t i : s.exceptions) CHECK(s.trials[i].value >= 5);
}
