// The plan of one configuration: what `trainplan plan` prints (field by field: docs/output.md).
//
//     Scenario -> Workload -> CostedWorkload -> Step -> Plan
#pragma once

#include <optional>
#include <vector>

#include "planner/plan/breakdown.h"
#include "planner/plan/communication.h"
#include "planner/plan/fitted_use.h"
#include "planner/plan/memory.h"
#include "planner/plan/run_cost.h"
#include "planner/plan/step.h"
#include "planner/plan/throughput.h"
#include "planner/plan/violations.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// The figures of a plan that candidates of a search are compared by.
struct PlanFigures {
  StepTime step;
  Breakdown breakdown;
  KindErrors errors;  // what the interval of the step follows from
  MemoryPeaks memory;
  Throughput throughput;
  RunCost cost;
  bool priced = true;  // false: a fitted model of an operator has no time where it is asked
};

/// The violation of a plan whose step or memory is no finite number, and whether they are.
inline constexpr const char* kFiniteRule = "finite";
bool is_finite(const StepTime& step);
bool is_finite(const MemoryPeaks& memory);

struct Plan {
  bool feasible = true;
  std::vector<Violation> violations;
  // Absent after a layout violation; a memory violation keeps every figure.
  std::optional<StepTime> step;
  std::optional<Breakdown> breakdown;
  std::vector<SourceShare> sources;  // what the step rests on, largest share first
  KindErrors errors;                 // what the interval of the step follows from
  std::vector<CommunicationRow> communication;
  std::optional<Throughput> throughput;
  std::optional<Memory> memory;
  size_t fullest_share = 0;  // of several lengths: the one whose memory it is
  std::optional<RunCost> cost;
  std::vector<FittedUse> fitted;  // models that were fitted to measurements, and where they are asked

  // Not in every file that copies or drops one: they are much code.
  Plan() = default;
  Plan(const Plan&);
  Plan(Plan&&) noexcept;
  Plan& operator=(const Plan&);
  Plan& operator=(Plan&&) noexcept;
  ~Plan();
};

PlanFigures make_figures(const Scenario& scenario, const Step& step, const MemoryPeaks& memory, const ModelFlops& model,
                         const ExecutedFlops& executed, int64_t microbatches);

/// Cannot fail: what does not work is a violation in the plan.
Plan make_plan(const Scenario& scenario);
/// Returns the plan with its figures, whether they fit or not; its violations are those of fitted models that have no
/// time. REQUIRES: no layout violation.
Plan make_unchecked_plan(const Scenario& scenario);
/// The same of the step of its own sequence length, whatever other lengths it has.
Plan make_plan_of_one(const Scenario& scenario);
/// REQUIRES: no layout violation.
PlanFigures plan_figures(const Plan& plan);
}  // namespace planner
