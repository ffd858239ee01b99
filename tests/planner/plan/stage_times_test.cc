// How each stage of a pipeline spends its step.
#include "planner/plan/stage_times.h"

#include <doctest/doctest.h>

namespace {

planner::Timeline by_hand() {
  using planner::Work;
  return {.events = {{.stage = 0, .work = Work::forward, .start = 0, .end = 1},
                     {.stage = 1, .work = Work::forward, .start = 1, .end = 2.5},
                     {.stage = 1, .work = Work::backward, .start = 2.5, .end = 5},
                     {.stage = 0, .work = Work::backward, .start = 5, .end = 7},
                     {.stage = 1, .work = Work::weight_gradient, .start = 5, .end = 6}},
          .seconds = 7};
}

}  // namespace

TEST_CASE("each stage has its work by kind, and waits for the rest of the pipeline") {
  const auto times = planner::played_times(by_hand(), 2);
  REQUIRE(times.size() == 2);
  CHECK(times[0].forward == 1);
  CHECK(times[0].backward == 2);
  CHECK(times[0].weight_gradient == 0);
  CHECK(times[0].wait == 4);
  CHECK(times[1].forward == 1.5);
  CHECK(times[1].backward == 2.5);
  CHECK(times[1].weight_gradient == 1);
  CHECK(times[1].wait == 2);
  CHECK(alike(times[0], times[0]));
  CHECK_FALSE(alike(times[0], times[1]));
}

TEST_CASE("a stage without events waits all the time") {
  const auto times = planner::played_times({.events = {}, .seconds = 3}, 2);
  CHECK(times[1].wait == 3);
  CHECK(alike(times[0], times[1]));
}
