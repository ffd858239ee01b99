#include <doctest/doctest.h>

#include <atomic>
#include <new>

#include "planner/search/meeting.h"

TEST_CASE("every call runs once, and what one throws is thrown when all have ended") {
  std::atomic<int> sum{0};
  planner::run_beside(5, [&](size_t i) { sum += 1 << i; });
  CHECK(sum == 31);
  planner::run_beside(1, [&](size_t i) { sum += static_cast<int>(i); });
  CHECK(sum == 31);
  for (const size_t bad : {size_t{0}, size_t{2}}) {
    std::atomic<int> calls{0};
    const auto work = [&](size_t i) {
      ++calls;
      if (i == bad) throw std::bad_alloc();
    };
    CHECK_THROWS_AS(planner::run_beside(3, work), std::bad_alloc);
    CHECK(calls == 3);
  }
}
