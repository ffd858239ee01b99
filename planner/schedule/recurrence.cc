#include <cmath>

#include "planner/schedule/costs.h"

namespace planner {

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

Recurrence& start_recurrence(const PipelineProfile& profile, const Traffic& traffic) {
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

}  // namespace planner
