// How long iterations took, from marked steps.
#include <doctest/doctest.h>

#include "planner/trace/steps.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;
using sample::ranked;

namespace {

/// A rank whose steps begin at these microseconds and take 80 each.
KinetoText stepping(int rank, int size, const std::vector<int64_t>& begins) {
  KinetoText text = ranked(rank, size);
  for (size_t i = 0; i < begins.size(); ++i)
    text.event("user_annotation", "ProfilerStep#" + std::to_string(i), 100, "1", std::to_string(begins[i]), "80");
  return text.kernel("gemm", 7, begins.empty() ? 10 : begins[0] + 10, 5);
}

StepTime timed(const std::vector<KinetoText>& ranks) {
  Trace trace = sample::trace(ranks);
  for (size_t r = 0; r < trace.size(); ++r) trace[r].file = "rank" + std::to_string(r);
  return step_time_of(trace);
}

}  // namespace

TEST_CASE("the mean from the begin of a step to the begin of the next, of all ranks") {
  const struct {
    std::vector<KinetoText> ranks;
    double us;
    size_t steps;
  } rows[] = {
      {{stepping(0, 1, {100, 200, 320})}, 110, 3},
      {{stepping(0, 1, {100, 250})}, 150, 2},
      {{stepping(0, 1, {100})}, 80, 1},  // its own time on the host
      {{stepping(0, 2, {100, 200, 320}), stepping(1, 2, {900, 1000, 1124})}, 111, 3},
  };
  for (const auto& row : rows) {
    const StepTime time = timed(row.ranks);
    CHECK(time.wrong == "");
    CHECK(time.seconds == doctest::Approx(row.us * 1e-6));
    CHECK(time.steps == row.steps);
  }
}

TEST_CASE("no time of steps: why") {
  CHECK(timed({stepping(0, 1, {})}).wrong == "'rank0' marks no steps");
  CHECK(timed({stepping(0, 2, {0, 100}), stepping(1, 2, {0, 100, 200})}).wrong == "'rank0' marks 2 steps, 'rank1' 3");
  CHECK(timed({stepping(0, 2, {0, 100}), stepping(1, 2, {})}).wrong == "'rank1' marks no steps");
  CHECK(timed({KinetoText().event("user_annotation", "ProfilerStep#1", 100, "1", "5", "0")}).wrong ==
        "the steps take no time");
  CHECK(step_time_of({RankTrace{}}).wrong == "'' has no events");
  CHECK(step_time_of({}).wrong == "there is no rank");
}
