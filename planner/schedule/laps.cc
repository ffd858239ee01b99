// 1F1B as a recurrence over laps: docs/models-schedule.md.
#include <algorithm>

#include "planner/schedule/costs.h"

namespace planner {

namespace {

double run(StageClock& stage, double input, double held) {
  stage.free = std::max(stage.free, input) + held;
  return stage.free;
}

/// One lap of the recurrence: every stage r takes in microbatch lap + (p-1-r) and gives back microbatch `lap`, from the
/// last stage down, so that a forward still sees what its neighbour sent a lap ago.
void run_lap(Recurrence& play, int64_t lap, int64_t microbatches) {
  const int64_t stages = static_cast<int64_t>(play.clocks.size());
  StageClock* clocks = play.clocks.data();
  for (int64_t r = stages - 1; r >= 0; --r) {
    StageClock& stage = clocks[r];
    const ChunkTime& held = play.held[static_cast<size_t>(r)];
    const int64_t in = lap + stages - 1 - r;
    if (in >= 0 && in < microbatches) {
      const double end = run(stage, r > 0 ? clocks[r - 1].forward_arrival : 0, held.forward);
      if (r < stages - 1) stage.forward_arrival = std::max(stage.forward_arrival, end) + play.costs.travel;
    }
    if (lap >= 0) {
      const double end = run(stage, r < stages - 1 ? clocks[r + 1].backward_arrival : 0, held.backward);
      if (r > 0) stage.backward_arrival = std::max(stage.backward_arrival, end) + play.costs.travel;
    }
  }
}

}  // namespace

double one_f_one_b_by_laps(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  Recurrence& play = start_recurrence(profile, traffic);
  const int64_t stages = profile.stages();
  int64_t microbatches = traffic.microbatches;
  for (int64_t lap = 1 - stages; lap < microbatches; ++lap) {
    run_lap(play, lap, microbatches);
    const int64_t periods = (microbatches - stages - lap) / stages;  // left, with all stages at work
    if (lap < 0 || lap % stages != 0 || periods < 1) continue;
    microbatches -= stages * play.skip(periods);
  }
  return play.clocks[0].free + play.steady.skipped;
}

}  // namespace planner
