// The lower bounds of makespans against the makespans.
#include "planner/schedule/least_makespan.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "tests/planner/schedule/pipelines.h"

using namespace pipelines;
using planner::least_makespan_seconds;
using planner::PipelineProfile;

namespace {

double least_of(const PipelineShape& shape, const ScheduleRow& row) {
  return least_makespan_seconds(row, PipelineProfile(shape), {shape.microbatches, shape.send, shape.sends_overlap});
}

/// Stretches of equal parts.
PipelineShape stretches(const ScheduleRow& row) {
  PipelineShape shape = wild_shape(row);
  for (size_t i = 1; i < shape.times.size(); ++i)
    if (*rc::gen::inRange(0, 4) > 0) shape.times[i] = shape.times[i - 1];
  shape.microbatches = *rc::gen::inRange(1, 200);
  return shape;
}

}  // namespace

TEST_CASE("no pipeline takes less than its bound, whatever its stages hold and its sends take") {
  CHECK(rc::check("least <= seconds", [] {
    for (int i = 0; i < 10; ++i) {
      const ScheduleRow& row = any_schedule();
      for (const PipelineShape& shape : {wild_shape(row), realistic_shape(row), stretches(row)}) {
        const double least = least_of(shape, row), seconds = row.time(shape).seconds;
        RC_ASSERT(least <= seconds);
        RC_ASSERT(least >= 0);
      }
    }
  }));
}

TEST_CASE("the bound is the time of equal stages, nine tenths of it in a vee") {
  for (const ScheduleRow& row : schedules()) {
    const std::string_view name = row.name;
    CAPTURE(name);
    for (int64_t p : {1, 2, 4, 7}) {
      const PipelineShape shape = uniform(p, chunks_of(row, 3), 5 * p, row.splits_backward ? kSplit : ChunkTime{1, 2});
      const double least = least_of(shape, row), seconds = row.time(shape).seconds;
      CHECK(least >= (row.order == PartOrder::vee ? 0.9 : 1 - 1e-6) * seconds);
    }
  }
}

TEST_CASE("the bound is near the time of what models are, with microbatches that fill the pipeline") {
  CHECK(rc::check("seconds <= 1.2 least", [] {
    for (const ScheduleRow& row : schedules()) {
      PipelineShape shape = realistic_shape(row);
      shape.microbatches += 3 * shape.stages;
      RC_ASSERT(row.time(shape).seconds <= 1.2 * least_of(shape, row));
    }
  }));
}
