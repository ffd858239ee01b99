// Defaults that change a plan most: each such field with the values that would change the result.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/field_sets.h"
#include "planner/plan/plan.h"

namespace planner {

/// The plan with another value of a field.
struct Alternative {
  std::string value;
  bool feasible = false;
  double seconds = 0;     // of a step
  double peak_bytes = 0;  // of one GPU's memory
};

/// A field that is not written. Alternatives: those that change the step's time or the memory by more than a tenth, or
/// whether the plan is feasible, the fastest first.
struct Unwritten {
  std::string field, value;  // the default used
  std::vector<Alternative> alternatives;
};

/// Returns parallelism.recompute, software.use and software.attention, if neither the scenario, nor the recipes of its
/// release, nor a named software profile writes them, and some alternative matters. `profiles`: names of software to
/// try; those that do not read or cannot run the layout are left out.
std::vector<Unwritten> unwritten_fields(const LoadedScenario& loaded, const Plan& plan,
                                        const std::vector<std::string>& profiles, const Reread& reread);

}  // namespace planner
