// Spreads of peaks of memory that were drawn from known ones.
#include "planner/studies/errors/fit_peaks.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace {

using planner::PeakRow;

std::vector<PeakRow> drawn(double family, double group, double run, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<PeakRow> rows;
  for (int f = 0; f < 60; ++f) {
    const double of_family = family * normal(random);
    for (int g = 0; g < 4; ++g) {
      const double of_group = of_family + group * normal(random);
      for (int i = 0; i < 5; ++i)
        rows.push_back({.group = std::to_string(g),
                        .software = std::to_string(f / 2),
                        .lineage = std::to_string(f / 2),
                        .platform = f % 2 ? hw_profiles::Platform::rocm : hw_profiles::Platform::cuda,
                        .ratio = of_group + run * normal(random)});
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("the spreads of drawn peaks are found again, and four fifths lie inside") {
  const std::vector<PeakRow> rows = drawn(0.15, 0.05, 0.03, 3);
  const planner::PeakSpreads fitted = planner::fit_peaks(rows);
  CHECK(fitted.family == doctest::Approx(0.15).epsilon(0.2));
  CHECK(fitted.group == doctest::Approx(0.05).epsilon(0.15));
  CHECK(fitted.run == doctest::Approx(0.03).epsilon(0.1));
  const planner::PeakScore score = planner::peak_score(rows, fitted);
  CHECK(score.rows == 1200);
  CHECK(score.families == 60);
  CHECK(score.inside_80 > 0.7);
  CHECK(score.inside_80 < 0.9);
}

TEST_CASE("software of one lineage differs less, and says less of its relatives than of itself") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<PeakRow> rows;
  for (int l = 0; l < 60; ++l) {
    const double of_lineage = 0.2 * normal(random);
    for (int f = 0; f < 3; ++f) {
      const double of_family = of_lineage + 0.06 * normal(random);
      for (int i = 0; i < 4; ++i)
        rows.push_back({.group = std::to_string(i / 2),
                        .software = std::to_string(3 * l + f),
                        .lineage = std::to_string(l),
                        .ratio = of_family + 0.02 * normal(random)});
    }
  }
  const planner::PeakSpreads fitted = planner::fit_peaks(rows);
  CHECK(fitted.heirs == doctest::Approx(0.06).epsilon(0.2));
  CHECK(fitted.family == doctest::Approx(std::hypot(0.2, 0.06)).epsilon(0.2));
  const std::vector<const PeakRow*> first{&rows[0], &rows[1]};
  const double own = planner::peak_families(first, fitted)[0].run;
  const double relative = planner::peak_families(first, fitted, true)[0].run;
  CHECK(relative * relative == doctest::Approx(own * own + 2 * fitted.heirs * fitted.heirs));
}

TEST_CASE("families of peaks are those of a platform, their spread that of their own rows and of all") {
  const std::vector<PeakRow> rows{
      {.group = "a", .cached = true, .ratio = 0.1},
      {.group = "a", .ratio = 0.3},
      {.group = "b", .ratio = -0.1},
      {.group = "a", .platform = hw_profiles::Platform::rocm, .cached = true, .ratio = 0.5}};
  std::vector<const PeakRow*> all;
  for (const PeakRow& row : rows) all.push_back(&row);
  const auto families = planner::peak_families(all, {.run = 0.1});
  REQUIRE(families.size() == 2);
  CHECK(families[0].runs == std::vector<int64_t>{2, 1});
  CHECK(families[0].means[0] == doctest::Approx(0.2));
  CHECK(families[0].run == doctest::Approx(std::sqrt((4 * 0.01 + 0.02) / (4 + 1))));
  CHECK(families[1].platform == hw_profiles::Platform::rocm);
  CHECK(families[1].run == doctest::Approx(0.1));
  CHECK(!families[0].cached);  // one of its peaks was allocated
  CHECK(families[1].cached);
}
