// Changes that would make a plan fit the memory of its GPUs: one setting, or two, ranked by their effect on the step.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/plan.h"
#include "planner/plan/single_changes.h"

namespace planner {

struct Relief {
  std::vector<const SingleChange*> changes;  // one, or two of different settings
  double slower = 0;                         // the step with them / the step without, less 1
  std::string text() const;                  // "parallelism.zero=1 and half the microbatch"
};

/// Returns the changes with which the plan fits its GPUs, the cheapest in time first: all single changes, or, if none
/// suffices, all pairs (except for long schedules given as lists of operations, which take a second each to plan).
/// REQUIRES: one sequence length, no layout violation.
std::vector<Relief> reliefs(const Scenario& scenario);

/// Returns the plan; its memory violation lists at most three changes that would make it fit.
Plan make_advised_plan(const Scenario& scenario);

}  // namespace planner
