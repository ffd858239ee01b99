#include "planner/plan/timeline.h"

#include "planner/plan/step.h"
#include "planner/plan/violations.h"
#include "planner/workload/cost.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"

namespace planner {

Timeline make_timeline(const Scenario& s) {
  if (!layout_violations(s).empty()) return {};
  const CostedWorkload costed = cost_workload(s, build_workload(s));
  return simulate(pipeline_shape(s, costed), schedule_name(s));
}

}  // namespace planner
