// How often a batch uses the rows of a table.
#include "planner/tables/reuse.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <span>

using namespace planner::tables;

namespace {

// Lin et al. (2024), figure 6 (a): four samples of one table of eight rows.
const std::vector<int64_t> kFigure6{0, 1, 4, 6, 1, 2, 3, 5, 7, 0, 5, 7, 1, 6};

/// The bin of a row that is used so often.
size_t bin_of(int64_t uses) {
  const auto bin = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(0, uses))));
  return std::min(bin, kReuseBins - 1);
}

std::map<int64_t, int64_t> counts_of(std::span<const int64_t> indices) {
  std::map<int64_t, int64_t> counts;
  for (int64_t index : indices) ++counts[index];
  return counts;
}

/// Figure 6, (a) to (c): how many of the indices are used once, twice ... of the indices of a batch.
std::map<int64_t, int64_t> use_histogram(std::span<const int64_t> indices) {
  std::map<int64_t, int64_t> histogram;
  const std::map<int64_t, int64_t> counts = counts_of(indices);
  for (const auto& [index, uses] : counts) ++histogram[uses];
  return histogram;
}

/// The same as shares of a table of `rows` rows, in bins.
ReuseFactors reuse_factors(std::span<const int64_t> indices, int64_t rows) {
  ReuseFactors factors{};
  double used = 0;
  const std::map<int64_t, int64_t> histogram = use_histogram(indices);
  for (const auto& [uses, count] : histogram) {
    factors[bin_of(uses)] += static_cast<double>(count) / static_cast<double>(rows);
    used += static_cast<double>(count);
  }
  factors[0] = 1 - used / static_cast<double>(rows);
  return factors;
}

}  // namespace

TEST_CASE("figure 6: three indices are used once, four twice, one three times") {
  CHECK(use_histogram(kFigure6) == std::map<int64_t, int64_t>{{1, 3}, {2, 4}, {3, 1}});
}

TEST_CASE("figure 6 in bins: 3/8 of the rows in [1, 2), 1/2 and 1/8 in [2, 4)") {
  ReuseFactors expected{};
  expected[1] = 3.0 / 8;
  expected[2] = 1.0 / 2 + 1.0 / 8;
  CHECK(reuse_factors(kFigure6, 8) == expected);
  const ReuseFactors larger = reuse_factors(kFigure6, 16);  // half of its rows are not used
  CHECK(larger[0] == 0.5);
  CHECK(larger[1] == 3.0 / 16);
}

TEST_CASE("bins are [0, 1), [1, 2), [2, 4) ... and the last is open") {
  struct Row {
    int64_t uses;
    size_t bin;
  };
  for (const Row& row : {Row{0, 0}, Row{1, 1}, Row{2, 2}, Row{3, 2}, Row{4, 3}, Row{7, 3}, Row{8, 4}, Row{32767, 15},
                         Row{32768, 16}, Row{1'000'000'000, 16}}) {
    CAPTURE(row.uses);
    CHECK(bin_of(row.uses) == row.bin);
    CHECK(uses_of(row.bin).least <= static_cast<double>(row.uses));
    CHECK(uses_of(row.bin).most >= static_cast<double>(row.uses));
  }
}

TEST_CASE("from factors back: the rows exactly, and all lookups of the batch") {
  const Accesses accesses = accesses_of(reuse_factors(kFigure6, 8), 8, 14);
  REQUIRE(accesses.groups.size() == 2);
  CHECK(accesses.groups[0].rows == doctest::Approx(3));
  CHECK(accesses.groups[0].lookups == doctest::Approx(3));
  CHECK(accesses.groups[1].rows == doctest::Approx(5));
  CHECK(accesses.groups[1].lookups == doctest::Approx(11));
  CHECK(accesses.distinct() == doctest::Approx(8));
}

TEST_CASE("factors say how many lookups a batch may have") {
  const ReuseRange held = lookups_held(reuse_factors(kFigure6, 8), 8);
  CHECK(held.least == doctest::Approx(3 + 2 * 5));
  CHECK(held.most == doctest::Approx(3 + 3 * 5));
  ReuseFactors open{};
  open[16] = 1;
  CHECK(std::isinf(lookups_held(open, 2).most));
  CHECK(accesses_of(open, 2, 1e6).lookups() == doctest::Approx(1e6));
}

TEST_CASE("lookups that no place in the bins gives are scaled, and rows are never more than lookups") {
  ReuseFactors once{};
  once[1] = 1;
  const Accesses fewer = accesses_of(once, 100, 90), more = accesses_of(once, 100, 120);
  CHECK(fewer.lookups() == doctest::Approx(90));
  CHECK(fewer.distinct() == doctest::Approx(90));
  CHECK(more.lookups() == doctest::Approx(120));
  CHECK(more.distinct() == doctest::Approx(100));
  CHECK(accesses_of(once, 100, 0).distinct() == 0);
}

TEST_CASE("even indices: as many distinct rows as drawing gives") {
  std::mt19937_64 random(7);
  std::vector<int64_t> drawn(5000);
  for (int64_t& index : drawn) index = static_cast<int64_t>(random() % 2000);
  double distinct = 0;
  for (const auto& [uses, rows] : use_histogram(drawn)) distinct += static_cast<double>(rows);
  CHECK(even_accesses(2000, 5000).distinct() == doctest::Approx(distinct).epsilon(0.02));
  CHECK(even_accesses(1e12, 10).distinct() == doctest::Approx(10));
  CHECK(even_accesses(1, 10).distinct() == 1);
  CHECK(even_accesses(10, 0).groups.empty());
}

TEST_CASE("a part of the batch uses fewer rows, and the parts together its lookups") {
  std::mt19937_64 random(3);
  std::vector<int64_t> all(40000);
  for (int64_t& index : all)
    index = static_cast<int64_t>(std::pow(static_cast<double>(random() % 1000000) / 1e6, 3) * 10000);
  const Accesses whole = accesses_of(reuse_factors(all, 10000), 10000, 40000), quarter = part_of(whole, 0.25);
  const auto seen = use_histogram(std::span(all).first(10000));
  double distinct = 0;
  for (const auto& [uses, rows] : seen) distinct += static_cast<double>(rows);
  CHECK(quarter.lookups() == doctest::Approx(10000));
  CHECK(quarter.distinct() == doctest::Approx(distinct).epsilon(0.05));
  CHECK(part_of(whole, 1).distinct() == whole.distinct());
}
