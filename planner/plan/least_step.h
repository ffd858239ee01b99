// What a step takes at least, before its pipeline is timed: a search asks this first.
#pragma once

#include <span>

#include "planner/plan/step.h"

namespace planner {

/// Makespans of a pipeline with and without sends, at least; 0: not known.
struct LeastMakespans {
  double with_sends = 0, without = 0;
};
/// `boundary_seconds`: of one crossing (cost_boundary); 0: not known.
LeastMakespans least_makespans(const Scenario& scenario, const StageDeal& deal, const PipelineProfile& profile,
                               double boundary_seconds);

/// Returns a lower bound of the step's seconds, from what its stages have to do for one microbatch alone (`times`: by
/// class): what `least_step_seconds` says of an outline without what is done once a step, and without a pipeline.
double least_work_seconds(const Scenario& scenario, const StageDeal& deal, std::span<const StageTime> times);

/// What is known of a step whose pipeline is not timed yet. `wide` and `holdings`: by class, as `sums`; none: what is
/// done once a step is not known yet, and counts nothing.
struct StepOutline {
  const StageDeal& deal;
  std::span<const StageSums> sums;  // by class of stages, of one microbatch
  std::span<const StepWide> wide = {};
  std::span<const StageHoldings> holdings = {};
  LeastMakespans makespans = {};
};

/// Returns a lower bound of the step's seconds: never more than `PlanFigures::step.seconds` of the same scenario, as
/// computed. Where a fitted model gives them, it is they. It falls short by what the pipeline's bound does
/// (least_makespan.h), by what sends take from transfers that hide beside them, and by what is not known. Of sums that
/// are shorter than those of the scenario it is a lower bound too: what a pass hides is less than what it takes.
double least_step_seconds(const Scenario& scenario, const StepOutline& outline);

}  // namespace planner
