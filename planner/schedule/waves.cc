// Interleaved 1F1B in Megatron-LM's order, as a recurrence over chunks: docs/models-schedule.md.
#include <algorithm>

#include "planner/schedule/costs.h"

namespace planner {

namespace {

/// Every stage runs the same list of `pairs` (chunk, microbatch), forward and backward: groups of `stages`
/// microbatches, chunk by chunk, `group` pairs each. `lag`: waves from the first forward to the last stage's
/// first backward, and to the first stage's.
struct WaveOrder {
  int64_t stages, chunks, group, pairs, lag;
};

WaveOrder order_of(const PipelineProfile& profile, int64_t microbatches) {
  const int64_t stages = profile.stages(), group = stages * profile.chunks();
  // A last group that is not full could deadlock Megatron's order; it is padded.
  const int64_t groups = (microbatches + stages - 1) / stages;
  return {stages, profile.chunks(), group, groups * group, 2 * (stages - 1) + group - stages};
}

/// Where pair `index` is in its group. Its `stages` - 1 neighbours on one side are in the same chunk of the
/// order or in the next, so that no wave divides more than once.
struct WavePosition {
  int64_t chunk, microbatch;
};
WavePosition place_of(const WaveOrder& order, int64_t index) {
  const int64_t phase = (index % order.group + order.group) % order.group;
  return {phase / order.stages, phase % order.stages};
}

/// Stage r runs forward k in wave k + r. Within a wave the forwards are independent of each other; from the
/// last stage down, each still sees what its neighbour sent in the wave before.
void run_forwards(Recurrence& play, const WaveOrder& order, int64_t wave) {
  StageClock* clocks = play.clocks.data();
  const ChunkTime* held = play.held.data();
  const double travel = play.costs.travel;
  const WavePosition place = place_of(order, wave);
  const int64_t chunk_before = place.chunk > 0 ? place.chunk - 1 : order.chunks - 1;
  const double wrapped = clocks[order.stages - 1].forward_arrival;
  const int64_t first = std::max<int64_t>(0, wave - order.pairs + 1), last = std::min(order.stages - 1, wave);
  for (int64_t r = last; r >= first; --r) {
    const int64_t chunk = r <= place.microbatch ? place.chunk : chunk_before;
    StageClock& stage = clocks[r];
    const double input = r > 0 ? clocks[r - 1].forward_arrival : chunk > 0 ? wrapped : 0;
    stage.free = std::max(stage.free, input) + held[chunk * order.stages + r].forward;
    const bool sends = r < order.stages - 1 || chunk < order.chunks - 1;
    if (sends) stage.forward_arrival = std::max(stage.forward_arrival, stage.free) + travel;
  }
}

/// Stage r runs backward k in wave k + lag - r, that is (its warm-up) + r waves after forward k, and after the
/// forward of the same wave. The backwards of a wave are independent of each other too.
void run_backwards(Recurrence& play, const WaveOrder& order, int64_t wave) {
  StageClock* clocks = play.clocks.data();
  const ChunkTime* held = play.held.data();
  const double travel = play.costs.travel;
  const int64_t base = wave - order.lag;
  const WavePosition place = place_of(order, base);
  const int64_t chunk_after = place.chunk < order.chunks - 1 ? place.chunk + 1 : 0;
  const double wrapped = clocks[0].backward_arrival;
  const int64_t first = std::max<int64_t>(0, -base), last = std::min(order.stages - 1, order.pairs - 1 - base);
  for (int64_t r = first; r <= last; ++r) {
    const int64_t chunk = order.chunks - 1 - (r + place.microbatch < order.stages ? place.chunk : chunk_after);
    StageClock& stage = clocks[r];
    const double input = r < order.stages - 1 ? clocks[r + 1].backward_arrival : chunk < order.chunks - 1 ? wrapped : 0;
    stage.free = std::max(stage.free, input) + held[chunk * order.stages + r].backward;
    const bool sends = r > 0 || chunk > 0;
    if (sends) stage.backward_arrival = std::max(stage.backward_arrival, stage.free) + travel;
  }
}

}  // namespace

double interleaved_by_waves(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  Recurrence& play = start_recurrence(profile, traffic);
  WaveOrder order = order_of(profile, traffic.microbatches);
  for (int64_t wave = 0; wave < order.pairs + order.lag; ++wave) {
    run_forwards(play, order, wave);
    run_backwards(play, order, wave);
    const int64_t periods = (order.pairs - 1 - wave) / order.group;  // left, with all stages at work
    if (wave < order.lag || wave % order.group != 0 || periods < 1) continue;
    order.pairs -= order.group * play.skip(periods);
  }
  return play.clocks[0].free + play.steady.skipped;
}

}  // namespace planner
