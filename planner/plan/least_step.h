// A lower bound of a step, before its pipeline is timed: a search checks it first.
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

/// Returns a lower bound of the step's seconds from the work of its stages for one microbatch alone (`times`: by
/// class). It equals `least_step_seconds` of an outline without once-a-step work and without a pipeline.
double least_work_seconds(const Scenario& scenario, const StageDeal& deal, std::span<const StageTime> times);

/// Known facts of a step whose pipeline is not timed yet. `wide` and `holdings`: by class, like `sums`; empty: the
/// once-a-step work is unknown, and counts nothing.
struct StepOutline {
  const StageDeal& deal;
  std::span<const StageSums> sums;  // by class of stages, of one microbatch
  std::span<const StepWide> wide = {};
  std::span<const StageHoldings> holdings = {};
  LeastMakespans makespans = {};
};

/// Returns a lower bound of the step's seconds: at most `PlanFigures::step.seconds` of the same scenario, as computed.
/// If a fitted model gives the step, the bound equals it.
/// The gap is that of the pipeline's bound (least_makespan.h), the time that sends take from transfers hidden next to
/// them, and the unknown parts. With sums below those of the scenario it is a lower bound too: a pass hides less than
/// it takes.
double least_step_seconds(const Scenario& scenario, const StepOutline& outline);

}  // namespace planner
