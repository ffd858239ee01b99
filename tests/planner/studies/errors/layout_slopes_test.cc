// Slopes of the error in the traits of a layout.
#include "planner/studies/errors/layout_slopes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

using planner::ErrorRow;
using planner::LayoutSlope;

namespace {

/// On 32 ranks, or on as many as tp and cp ask for.
ErrorRow row(const std::string& job, int64_t tp, int64_t cp, double planned_over_measured, bool is_whole = true) {
  ErrorRow out{.job = job};
  out.layout.tp = tp, out.layout.cp = cp, out.layout.dp = is_whole ? 32 / (tp * cp) : 1;
  out.size.step_seconds = 1;
  out.shipped = -planned_over_measured;
  return out;
}

/// Plans lose 3 % with each doubling of cp, whatever tp does; jobs are off as wholes, and rows by `noise`.
std::vector<ErrorRow> drawn(int jobs, double noise) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<ErrorRow> rows;
  for (int job = 0; job < jobs; ++job) {
    const double off = 0.1 * normal(random);
    for (const int64_t tp : {1, 4})
      for (const int64_t cp : {1, 2, 8})
        rows.push_back(
            row(std::to_string(job), tp, cp, off - 0.03 * std::log2(static_cast<double>(cp)) + noise * normal(random)));
  }
  return rows;
}

const LayoutSlope& of(const std::vector<LayoutSlope>& slopes, const std::string& trait) {
  for (const LayoutSlope& s : slopes)
    if (trait == s.trait) return s;
  FAIL("no slope of " << trait);
  return slopes.front();
}

}  // namespace

TEST_CASE("a slope in one degree is found beside others, whatever whole jobs are off by") {
  const std::vector<LayoutSlope> exact = planner::layout_slopes(drawn(3, 0));
  CHECK(of(exact, "cp").slope == doctest::Approx(-0.03));
  CHECK(of(exact, "cp").error < 1e-9);
  CHECK(of(exact, "cp").jobs == 3);
  CHECK(std::fabs(of(exact, "tp").slope) < 1e-9);
  const std::vector<LayoutSlope> noisy = planner::layout_slopes(drawn(200, 0.02));
  // cp varies by 0, 1 and 3 doublings: 6 layouts of a job hold sums of squares of 28 / 3.
  CHECK(of(noisy, "cp").error == doctest::Approx(0.02 / std::sqrt(200 * 28. / 3)).epsilon(0.1));
  CHECK(std::fabs(of(noisy, "cp").slope + 0.03) < 3 * of(noisy, "cp").error);
}

TEST_CASE("what varies only together has no slope, and neither has what does not vary") {
  CHECK(planner::layout_slopes({}).empty());
  CHECK(planner::layout_slopes({row("a", 1, 1, 0), row("b", 2, 1, 0.1)}).empty());
  // More tensor ranks are more ranks: only both together vary.
  CHECK(planner::layout_slopes({row("a", 1, 1, 0, false), row("a", 2, 1, 0.1, false)}).empty());
}
