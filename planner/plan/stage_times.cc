#include "planner/plan/stage_times.h"

#include <algorithm>
#include <cmath>

#include "planner/plan/step.h"
#include "planner/plan/violations.h"
#include "planner/workload/cost.h"
#include "planner/workload/passes/passes.h"

namespace planner {

bool alike(const StageUse& a, const StageUse& b) {
  const double length = a.forward + a.backward + a.weight_gradient + a.wait;
  const auto near = [&](double x, double y) { return std::abs(x - y) <= 1e-9 * length; };
  return near(a.forward, b.forward) && near(a.backward, b.backward) && near(a.weight_gradient, b.weight_gradient) &&
         near(a.wait, b.wait);
}

std::vector<StageUse> stage_uses(const Scenario& s) {
  if (!layout_violations(s).empty() || !s.lengths.shares.empty()) return {};
  const CostedWorkload costed = cost_workload(s, build_workload(s));
  const StageDeal& deal = costed.workload.deal;
  return stage_uses(*deal.schedule, pipeline_profile(s, deal, costed.blocks),
                    traffic_of(s, costed.boundary.seconds.value));
}

std::vector<StageUse> stage_uses(const ScheduleRow& schedule, const PipelineProfile& profile,
                                 const PipelineTraffic& traffic) {
  const double seconds = schedule.time_profile(profile, traffic).seconds;
  const auto microbatches = static_cast<double>(traffic.microbatches);
  std::vector<StageUse> uses(static_cast<size_t>(profile.stages()));
  for (int64_t stage = 0; stage < profile.stages(); ++stage) {
    StageUse& use = uses[static_cast<size_t>(stage)];
    double once = 0;
    for (int64_t chunk = 0; chunk < profile.chunks(); ++chunk) {
      const ChunkTime& time = profile.at(part_at(schedule.order, chunk, stage, profile.stages()));
      use.forward += time.forward * microbatches;
      use.backward += time.backward * microbatches;
      use.weight_gradient += time.weight_gradient * microbatches;
      once += time.forward + time.backward + time.weight_gradient;
    }
    use.wait = std::max(0.0, seconds - once * microbatches);
  }
  return uses;
}

}  // namespace planner
