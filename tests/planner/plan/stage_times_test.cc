// How each stage of a pipeline spends its step: what the timeline, which is played event by event, says of each.
#include "planner/plan/stage_times.h"

#include <doctest/doctest.h>

namespace {

using planner::PipelineShape;
using planner::StageUse;
using planner::Work;

/// Uneven parts: no two stages spend their time alike.
PipelineShape uneven(const planner::ScheduleRow& schedule) {
  PipelineShape shape{.stages = 4, .chunks = 1, .microbatches = 12};
  if (schedule.chunks > 0) shape.chunks = schedule.chunks;
  else if (std::string_view(schedule.name) == "interleaved") shape.chunks = 3;
  for (int64_t part = 0; part < shape.stages * shape.chunks; ++part) {
    const double more = 1 + 0.1 * static_cast<double>(part * part % 7);
    shape.times.push_back({more, 2 * more, schedule.splits_backward ? 0.5 * more : 0});
  }
  return shape;
}

std::vector<StageUse> played(const PipelineShape& shape, const char* schedule) {
  const planner::Timeline timeline = planner::simulate(shape, schedule);
  std::vector<StageUse> uses(static_cast<size_t>(shape.stages));
  for (StageUse& use : uses) use.wait = timeline.seconds;
  for (const planner::Event& event : timeline.events) {
    StageUse& use = uses[static_cast<size_t>(event.stage)];
    double& spent = event.work == Work::forward    ? use.forward
                    : event.work == Work::backward ? use.backward
                                                   : use.weight_gradient;
    spent += event.end - event.start;
    use.wait -= event.end - event.start;
  }
  return uses;
}

}  // namespace

TEST_CASE("each stage has its work by kind, and waits for the rest of the pipeline, as the timeline plays it") {
  for (const planner::ScheduleRow& schedule : planner::schedules()) {
    CAPTURE(std::string(schedule.name));
    const PipelineShape shape = uneven(schedule);
    const std::vector<StageUse> expected = played(shape, schedule.name);
    const std::vector<StageUse> uses =
        planner::stage_uses(schedule, planner::PipelineProfile(shape), {.microbatches = shape.microbatches});
    REQUIRE(uses.size() == expected.size());
    for (size_t i = 0; i < uses.size(); ++i) {
      CAPTURE(i);
      CHECK(alike(uses[i], expected[i]));
      CHECK(uses[i].wait > 0);
    }
    CHECK_FALSE(alike(uses[0], uses[1]));
  }
}

TEST_CASE("one stage waits for nobody") {
  const PipelineShape alone{.stages = 1, .chunks = 1, .microbatches = 7, .times = {{0.1, 0.2, 0}}};
  const planner::ScheduleRow& schedule = *planner::find_schedule("1f1b");
  CHECK(planner::stage_uses(schedule, planner::PipelineProfile(alone), {.microbatches = 7})[0].wait == 0);
}
