// Sequences side by side, against the table of longest common subsequences.
#include "planner/trace/alignment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace planner::trace;

namespace {

using Sequence = std::vector<uint32_t>;

size_t longest_common(const Sequence& a, const Sequence& b) {
  std::vector<std::vector<size_t>> table(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j)
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
  return table.back().back();
}

void check(const Sequence& a, const Sequence& b) {
  const auto pairs = align(a, b, 1000);
  REQUIRE(pairs.has_value());
  CHECK(pairs->size() == longest_common(a, b));
  for (size_t i = 0; i < pairs->size(); ++i) {
    const auto [at, bt] = (*pairs)[i];
    CHECK(a.at(at) == b.at(bt));
    if (i > 0) CHECK(((*pairs)[i - 1].first < at && (*pairs)[i - 1].second < bt));
  }
}

}  // namespace

TEST_CASE("as many elements are in pairs as there can be") {
  check({}, {});
  check({}, {1, 2});
  check({1}, {2});
  check({1, 2, 3, 1, 2, 2, 1}, {3, 2, 1, 2, 1, 3});  // Myers's own example
  check({1, 2, 3}, {1, 2, 3});
  check({1, 1, 1}, {1});
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const uint32_t letters = 1 + random() % 6;
    const auto draw = [&] {
      Sequence all(random() % 30);
      for (uint32_t& one : all) one = random() % letters;
      return all;
    };
    check(draw(), draw());
  }
}

TEST_CASE("one side that lacks a part, or has one more, is found whole") {
  Sequence a(500);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint32_t>(i * i % 97);
  Sequence b = a;
  b.erase(b.begin() + 100, b.begin() + 150);
  b.insert(b.begin() + 300, {1000, 1001, 1002});
  const auto pairs = align(a, b, 53);
  REQUIRE(pairs.has_value());
  CHECK(pairs->size() == 450);
  CHECK_FALSE(align(a, b, 52).has_value());
}

TEST_CASE("more than so many elements alone are too many") {
  const Sequence a{1, 2, 3, 4}, b{5, 6, 7};
  CHECK(align(a, b, 7).value().empty());
  CHECK_FALSE(align(a, b, 6).has_value());
  CHECK_FALSE(align(a, {}, 3).has_value());
  CHECK(align(a, {}, 4).value().empty());
  CHECK(align(a, a, 0).value().size() == 4);
}
