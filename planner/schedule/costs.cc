#include "planner/schedule/costs.h"

#include <algorithm>
#include <cmath>

namespace planner {

OpCosts op_costs(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  OpCosts costs{.last = profile.stages() * profile.chunks() - 1};
  if (profile.stages() > 1) (traffic.sends_overlap ? costs.travel : costs.blocking) = traffic.send;
  return costs;
}

int64_t SteadyState::skip(std::vector<double>& now, int64_t periods) {
  std::swap(before, now);
  const std::vector<double>&from = now, &to = before;
  if (from.size() != to.size()) return 0;
  const double shift = to[0] - from[0], rounding = 1e-13 * to[0];
  for (size_t i = 0; i < to.size(); ++i)
    if (to[i] != 0 && std::abs(to[i] - from[i] - shift) > rounding) return 0;
  skipped += static_cast<double>(periods) * shift;
  return periods;
}

int64_t Recurrence::skip(int64_t periods) {
  state.clear();
  for (const StageClock& each : clocks)
    state.insert(state.end(), {each.free, each.forward_arrival, each.backward_arrival});
  return steady.skip(state, periods);
}

Recurrence& start_recurrence(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  thread_local Recurrence play;
  play.costs = op_costs(profile, traffic);
  play.held.clear();
  for (const auto& [count, time] : profile.runs())
    for (int64_t i = 0; i < count; ++i)
      play.held.push_back(play.costs.held(static_cast<int64_t>(play.held.size()), time));
  play.clocks.assign(static_cast<size_t>(profile.stages()), {});
  play.steady.before.clear();
  play.steady.skipped = 0;
  return play;
}

PipelineTime split_makespan(const PipelineProfile& profile, int64_t microbatches, PartOrder order,
                            const Finish& with_sends, double without) {
  double once = 0;
  for (int64_t chunk = 0; chunk < profile.chunks(); ++chunk) {
    const ChunkTime& time = profile.at(part_at(order, chunk, with_sends.stage, profile.stages()));
    once += time.forward + time.backward + time.weight_gradient;
  }
  PipelineTime time{.stage = with_sends.stage};
  time.work = once * static_cast<double>(microbatches);
  time.send = std::max(0.0, with_sends.seconds - without);
  time.bubble = std::max(0.0, without - time.work);
  time.seconds = time.work + time.send + time.bubble;
  return time;
}

}  // namespace planner
