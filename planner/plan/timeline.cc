#include "planner/plan/timeline.h"

#include "planner/plan/step.h"
#include "planner/plan/violations.h"
#include "planner/workload/cost.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"

namespace planner {

double timeline_events(const Scenario& s) {
  if (!layout_violations(s).empty()) return 0;
  const double passes = find_schedule(schedule_name(s))->splits_backward ? 3 : 2;
  const auto parts = static_cast<double>(s.parallelism.pp) * static_cast<double>(s.parallelism.interleave);
  return passes * parts * static_cast<double>(microbatches_of(s));
}

Timeline make_timeline(const Scenario& s) {
  if (!layout_violations(s).empty()) return {};
  const CostedWorkload costed = cost_workload(s, build_workload(s));
  return simulate(pipeline_shape(s, costed), schedule_name(s));
}

}  // namespace planner
