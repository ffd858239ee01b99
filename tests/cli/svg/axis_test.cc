#include "cli/svg/axis.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

using namespace cli::svg;

namespace {

std::string labels(const AxisRange& range, int most) {
  std::string text;
  for (const Tick& tick : ticks(range, most)) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

}  // namespace

TEST_CASE("ticks stand at round figures") {
  struct Row {
    AxisRange range;
    int most;
    const char* labels;
  };
  const Row rows[] = {
      {{0, 1, false}, 5, "0 0.2 0.4 0.6 0.8 1"},
      {{0, 1, false}, 10, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"},
      {{-0.3, 0.3, false}, 3, "-0.2 0 0.2"},
      {{860000, 940000, false}, 4, "860k 880k 900k 920k 940k"},
      {{35, 60, false}, 5, "35 40 45 50 55 60"},
      {{0, 50, false}, 4, "0 20 40"},
      {{0.1, 1e4, true}, 8, "0.1 1 10 100 1000 10k"},
      {{1e11, 5e14, true}, 12, "100G 200G 500G 1T 2T 5T 10T 20T 50T 100T 200T 500T"},
      {{1, 1e12, true}, 4, "1 1000 1M 1G 1T"},
      {{1, 10, true}, 8, "1 2 5 10"},
      {{3, 4, true}, 8, "3 4"},
      {{897100, 897104, false}, 4, "897.1k 897.101k 897.102k 897.103k 897.104k"},
  };
  for (const Row& row : rows) CHECK(labels(row.range, row.most) == row.labels);
}

TEST_CASE("a range reaches the next round figures") {
  const auto check = [](const std::vector<double>& values, bool log, AxisRange expected) {
    const AxisRange r = nice_range(values, log);
    CHECK(r.low == doctest::Approx(expected.low));
    CHECK(r.high == doctest::Approx(expected.high));
    CHECK(r.log == expected.log);
  };
  check({0, 0.486}, false, {0, 0.5, false});
  check({13.3, 71}, false, {10, 80, false});
  check({0.14, 1377}, true, {0.1, 2000, true});
  check({3e11, 3.12e14}, true, {2e11, 5e14, true});
  check({0, 100}, true, {0, 100, false});  // no logarithm of 0
  check({7}, false, {6.2, 7.8, false});
  check({0}, false, {-1, 1, false});
  check({8}, true, {2, 20, true});
  check({}, false, {0, 1, false});
  check({}, true, {1, 10, true});
}

TEST_CASE("an axis puts its ends on its pixels, and decades at even distances") {
  const Axis up{{0, 10, false}, 500, 100};
  CHECK(up.at(0) == 500);
  CHECK(up.at(10) == 100);
  CHECK(up.at(2.5) == 400);
  const Axis decades{{1, 1000, true}, 0, 300};
  CHECK(decades.at(10) == doctest::Approx(100));
  CHECK(decades.at(100) == doctest::Approx(200));
}

TEST_CASE("random values lie inside their range, between at least two ticks in rising order") {
  // Conditions in parentheses of their own: RC_ASSERT would evaluate both sides of || and &&.
  CHECK(rc::check("random axes", [] {
    const bool log = *rc::gen::arbitrary<bool>();
    const int exponent = *rc::gen::inRange(-6, 18), most = *rc::gen::inRange(2, 13);
    std::vector<double> values;
    for (int n : *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(log ? 1 : -1000, 1000))))
      values.push_back(n * std::pow(10, exponent));
    const AxisRange range = nice_range(values, log);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double slack = 1e-6 * (range.high - range.low);
    RC_ASSERT((range.low <= *low + slack && range.high >= *high - slack && range.low < range.high));
    const std::vector<Tick> marks = ticks(range, most);
    RC_ASSERT(marks.size() >= 2u);
    RC_ASSERT(marks.size() <= 3u * static_cast<size_t>(most) + 1);
    for (size_t i = 0; i < marks.size(); ++i) {
      RC_ASSERT((marks[i].value >= range.low - slack && marks[i].value <= range.high + slack));
      RC_ASSERT((i == 0 || (marks[i].value > marks[i - 1].value && marks[i].label != marks[i - 1].label)));
    }
  }));
}

TEST_CASE("figures at the ends of what a double holds, or a digit apart, have a range, ticks and places") {
  const double values[] = {4.9e-324, 2e-310, 1e-300,    1,   std::nextafter(1, 2), 1e17, 1e17 + 16, 1e300, 1e308,
                           -1e308,   0,      -4.9e-324, 1e-5};
  for (const double a : values)
    for (const double b : values)
      for (const bool log : {false, true}) {
        INFO(a, " ", b, " ", log);
        const AxisRange range = nice_range({a, b}, log);
        CHECK(range.low < range.high);
        const Axis axis{range, 0, 100};
        for (const double value : {range.low, range.high, range.log ? std::max(a, 4.9e-324) : a})
          CHECK(std::abs(axis.at(value)) <= 1e5);
        for (const int most : {1, 8}) {
          const std::vector<Tick> all = ticks(range, most);
          CHECK(all.size() >= 2);
          CHECK(all.size() <= 30);
          for (const Tick& tick : all) CHECK(std::isfinite(tick.value));
        }
      }
}
