// The plan of one configuration: what `trainplan plan` prints (field by field: docs/output.md).
//
//     Scenario -> Workload -> CostedWorkload -> Step -> Plan
#pragma once

#include "planner/plan/plan_figures.h"
#include "planner/plan/step.h"

namespace planner {

PlanFigures make_figures(const Scenario& scenario, const Step& step, const MemoryPeaks& memory, const ModelFlops& model,
                         const ExecutedFlops& executed, int64_t microbatches);

/// Cannot fail: a configuration that does not work is a violation in the plan.
Plan make_plan(const Scenario& scenario);
/// Returns the plan with its figures, whether they fit or not; its violations are those of fitted models that have no
/// time. REQUIRES: no layout violation.
Plan make_unchecked_plan(const Scenario& scenario);
/// The same of the step of its own sequence length, whatever other lengths it has.
Plan make_plan_of_one(const Scenario& scenario);

}  // namespace planner
