// From costed blocks to one optimizer step: stages, schedule, step-wide communication.
#pragma once

#include <span>
#include <vector>

#include "planner/plan/plan.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/cost.h"

namespace planner {

/// What all microbatches of a step take between the stages.
struct Pipelined {
  PipelineTime time;
  int64_t microbatches = 1;
  size_t stage_class = 0;     // of the stage that finishes last
  double relative_error = 0;  // of a send
  int send_wire = -1;         // that sends beside a stage's chunks take (overlap.h); -1: none do
  double send_seconds = 0;    // of those, in one pass of one microbatch
  bool priced = true;         // operator_models::Cost
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
/// The same where they are kept apart. `cost`: of one crossing.
Pipelined make_pipelined(const Scenario& scenario, const Boundary& boundary, const operator_models::Cost& cost,
                         const PipelineProfile& profile, const StageDeal& deal);
/// What a step is made of, all of the stage that finishes last.
struct StepParts {
  const Pipelined& pipeline;
  double layers;          // that it holds
  const StageSums& sums;  // of one microbatch
  StepWide& wide;         // `exposed` of its transfers is set
};
Step make_step(const Scenario& scenario, StepParts parts);
/// Sets `exposed` of the step operators in `costed`.
Step make_step(const Scenario& scenario, CostedWorkload& costed, const Pipelined& pipeline);

/// The pipeline played event by event, for display; no events after a layout violation.
Timeline make_timeline(const Scenario& scenario);

/// One row per transfer of the stage that finishes last.
std::vector<CommunicationRow> communication_rows(const Scenario& scenario, const CostedWorkload& costed,
                                                 const Pipelined& pipeline);

Memory make_memory(const Scenario& scenario, const Workload& workload);
/// The same of stages apart from their blocks, and only the peaks. `holdings`: by class.
MemoryPeaks make_memory_peaks(const Scenario& scenario, const Workload& blocks, const StageDeal& deal,
                              std::span<const StageHoldings> holdings);

/// FLOPs of one forward pass of the model over the whole batch: attention by its mask, and over full squares.
struct ModelFlops {
  double masked = 0, full = 0;
};
ModelFlops make_model_flops(const Scenario& scenario);
/// One microbatch on one rank of every stage.
struct ExecutedFlops {
  double all = 0, adapters = 0;
};
ExecutedFlops make_executed_flops(const std::vector<CostedBlock>& blocks, const Chunk& model);
Throughput make_throughput(const Scenario& scenario, const ModelFlops& model, const ExecutedFlops& executed,
                           int64_t microbatches, double step_seconds);
/// `tokens`: of a step; 0: those of the job's batch.
RunCost make_run_cost(const Scenario& scenario, double step_seconds, double tokens = 0);

PlanFigures make_figures(const Scenario& scenario, const Step& step, const MemoryPeaks& memory, const ModelFlops& model,
                         const ExecutedFlops& executed, int64_t microbatches);

/// Impossible layouts, all of them; empty: the workload can be built.
std::vector<Violation> layout_violations(const Scenario& scenario);
/// The first rule that is broken, as `layout_violations` names it; null: none.
const char* broken_layout_rule(const Scenario& scenario);
/// The fullest stage where it overflows, and the largest part of what it holds ("activations").
struct Overflow {
  int64_t stage = 0;
  double bytes = 0, capacity_bytes = 0;
  std::string component;
  double component_bytes = 0;
  std::string text() const;
};
std::optional<Overflow> overflow_of(const Memory& memory);
/// One violation if the peak stage overflows, naming stage, component, excess and the nearest change that fits; one if
/// the memory of a node's host does.
std::vector<Violation> memory_violations(const Scenario& scenario, const Memory& memory);

}  // namespace planner
