// From costed blocks to one optimizer step: stages, schedule, step-wide communication.
#pragma once

#include <functional>
#include <vector>

#include "planner/plan/breakdown.h"
#include "planner/scenario/scenario.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/cost.h"

namespace planner {

/// What all microbatches of a step take between the stages.
struct Pipelined {
  PipelineTime time;
  int64_t microbatches = 1;
  size_t stage_class = 0;            // of the stage that finishes last
  std::vector<PipelineTime> others;  // other classes, the latest stage of each: their once-a-step work may take
                                     // longer. None where all wait for stage 0
  double relative_error = 0;         // of a send
  bool assumed = false;              // likewise
  int send_wire = -1;                // wire used by sends parallel to a stage's chunks (overlap.h); -1: none
  double send_seconds = 0;           // of those, in one pass of one microbatch
  bool priced = true;                // operator_models::Cost
};

/// The step, seen from the stage that finishes last.
struct Step {
  Breakdown breakdown;
  KindErrors errors;
};

/// The pipeline's times as the schedule sees them.
PipelineProfile pipeline_profile(const Scenario& scenario, const StageDeal& deal,
                                 const std::vector<CostedBlock>& blocks);
PipelineShape pipeline_shape(const Scenario& scenario, const CostedWorkload& costed);
Pipelined make_pipelined(const Scenario& scenario, const CostedWorkload& costed);
/// Makes it of parts that are kept apart. `cost`: of one crossing of the boundary.
Pipelined make_pipelined(const Scenario& scenario, const Boundary& boundary, const operator_models::Cost& cost,
                         const PipelineProfile& profile, const StageDeal& deal);
/// The traffic through the pipeline. `boundary_seconds`: of one crossing.
PipelineTraffic traffic_of(const Scenario& scenario, double boundary_seconds);
/// The terms of a step, all of the stage that finishes last.
struct StepTerms {
  const Pipelined& pipeline;
  double layers;          // that it holds
  const StageSums& sums;  // of one microbatch
  StepWide& wide;         // `exposed` of its transfers is set
};
Step make_step(const Scenario& scenario, StepTerms parts);
/// Returns the exposed seconds of its transfers.
double expose_step_wide(const StepTerms& parts);
/// Returns the parts of its time. `exposed`: seconds of its transfers that stick out. More of any time is more of a
/// step.
Breakdown breakdown_of(const Scenario& scenario, const Pipelined& pipeline, const StageTime& time, const StepWide& wide,
                       double exposed);
/// Returns the step of the stage that is done last, with all that it does once a step, and makes `pipeline` its own.
/// `make`: the step where this one finishes last.
Step make_last_step(const StageDeal& deal, Pipelined& pipeline, const std::function<Step(const Pipelined&)>& make);
/// Sets `exposed` of the step operators in `costed`, and which stage finishes last.
Step make_step(const Scenario& scenario, CostedWorkload& costed, Pipelined& pipeline);

/// The step of a scenario, with its terms.
struct TimedStep {
  CostedWorkload costed;
  Pipelined pipeline;
  Step step;
  const StageClass& stage() const { return costed.workload.classes[pipeline.stage_class]; }  // that finishes last
};
/// REQUIRES: no layout violation.
TimedStep time_step(const Scenario& scenario);

}  // namespace planner
