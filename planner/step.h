// From costed blocks to one optimizer step: stages, schedule, step-wide communication.
#pragma once

#include <vector>

#include "planner/plan.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/cost.h"

namespace planner {

/// One microbatch on one stage (all its chunks).
struct StageTime {
  PhaseTime forward, backward, recompute;
};

/// The step, seen from the stage that finishes last.
struct Step {
  PipelineShape shape;
  PipelineTime pipeline;
  std::vector<StageTime> classes;  // per stage class, one microbatch
  int stage_class = 0;             // of the stage that finishes last
  double step_exposed = 0;         // step-wide communication that nothing hides
  double step_serialized = 0;
  double optimizer = 0;
  Breakdown breakdown;
};

/// The pipeline's times as the schedule sees them.
PipelineShape pipeline_shape(const Scenario& scenario, const CostedWorkload& costed);
/// Name of the schedule: the layout's, else the software's where its chunks per stage are those of the layout, else
/// interleaved or 1f1b.
std::string schedule_name(const Scenario& scenario);
/// Closed form. Sets `exposed` of the step operators in `costed`.
Step make_step(const Scenario& scenario, CostedWorkload& costed);

/// The figures of a plan but for `sources` and `communication`. REQUIRES: no layout violation.
Plan make_compared(const Scenario& scenario, CostedWorkload& costed);

/// The pipeline played event by event, for display; no events after a layout violation.
Timeline make_timeline(const Scenario& scenario);

/// One row per transfer of the stage that finishes last.
std::vector<CommunicationRow> communication_rows(const Scenario& scenario, const CostedWorkload& costed,
                                                 const Step& step);

Memory make_memory(const Scenario& scenario, const Workload& workload);
Throughput make_throughput(const Scenario& scenario, const CostedWorkload& costed, double step_seconds);
RunCost make_run_cost(const Scenario& scenario, double step_seconds);

/// Impossible layouts, all of them; empty: the workload can be built.
std::vector<Violation> layout_violations(const Scenario& scenario);
/// The first rule that is broken, as `layout_violations` names it; null: none.
const char* broken_layout_rule(const Scenario& scenario);
/// One violation if the peak stage overflows, naming stage, component, excess and the nearest change that fits; one if
/// the memory of a node's host does.
std::vector<Violation> memory_violations(const Scenario& scenario, const Memory& memory);

}  // namespace planner
