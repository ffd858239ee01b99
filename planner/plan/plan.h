// The plan of one configuration: what `trainplan plan` prints (field by field: docs/output.md).
//
//     Scenario -> Workload -> CostedWorkload -> Step -> Plan
//
// The basis of a step's time: its operators by kind, and the sources of their figures.
#pragma once

#include <span>
#include <vector>

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

/// Operators of one line of the workload, all their calls in a step.
struct StepPart {
  const char* kind = "";  // operator_models::kind_of
  operator_models::Provenance provenance = operator_models::Provenance::assumed;
  double seconds = 0;  // of a step; for communication the exposed part
};

/// Returns the parts of the stage that finishes last. REQUIRES: `make_step` was called with them.
std::vector<StepPart> step_parts(const CostedWorkload& costed, const Pipelined& pipeline);

/// Returns the shares of the parts' seconds by kind and provenance, largest first; they sum to 1 where there is any
/// time.
std::vector<SourceShare> source_shares(std::span<const StepPart> parts);

}  // namespace planner
