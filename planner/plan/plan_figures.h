// The content of a plan: its figures, its rows and its violations.
#pragma once

#include <optional>
#include <vector>

#include "planner/plan/breakdown.h"
#include "planner/plan/communication.h"
#include "planner/plan/fitted_use.h"
#include "planner/plan/memory.h"
#include "planner/plan/run_cost.h"
#include "planner/plan/throughput.h"
#include "planner/plan/violations.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// The figures of a plan that candidates of a search are compared by.
struct PlanFigures {
  StepTime step;
  Breakdown breakdown;
  KindErrors errors;  // the basis of the step's interval
  MemoryPeaks memory;
  Throughput throughput;
  RunCost cost;
  bool priced = true;  // false: a fitted model of an operator has no time at the requested values
};

/// The violation of a plan whose step or memory is not a finite number, and the check for it.
inline constexpr const char* kFiniteRule = "finite";
bool is_finite(const StepTime& step);
bool is_finite(const MemoryPeaks& memory);

struct Plan {
  bool feasible = true;
  std::vector<Violation> violations;
  // Absent after a layout violation; a memory violation keeps every figure.
  std::optional<StepTime> step;
  std::optional<Breakdown> breakdown;
  std::vector<SourceShare> sources;  // the basis of the step, largest share first
  KindErrors errors;                 // the basis of the step's interval
  std::vector<CommunicationRow> communication;
  std::optional<Throughput> throughput;
  std::optional<Memory> memory;
  size_t fullest_share = 0;  // of several lengths: the one whose memory it is
  std::optional<RunCost> cost;
  std::vector<FittedUse> fitted;  // models fitted to measurements, and where they are used

  // Not in every file that copies or drops one: they are much code.
  Plan() = default;
  Plan(const Plan&);
  Plan(Plan&&) noexcept;
  Plan& operator=(const Plan&);
  Plan& operator=(Plan&&) noexcept;
  ~Plan();
};
/// REQUIRES: no layout violation.
PlanFigures plan_figures(const Plan& plan);
/// Gives a plan all figures but the memory, which it has of each stage.
void take_figures(const PlanFigures& figures, Plan& plan);

}  // namespace planner
