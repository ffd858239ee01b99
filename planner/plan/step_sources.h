// The basis of a step's time: its operators by kind, and the sources of their figures.
#pragma once

#include <span>
#include <vector>

#include "planner/plan/step.h"

namespace planner {

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
