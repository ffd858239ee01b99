// How much of a transfer something hides.
#pragma once

#include "planner/scenario/scenario.h"

namespace planner {

/// Hidden seconds of `calls` calls; `seconds` and `exposed` are those of one call. If two streams slow each other, more
/// is exposed than the call takes: nothing is hidden then.
inline double hidden_seconds(double calls, double seconds, double exposed) {
  const double hidden = calls * seconds - calls * exposed;
  return hidden < 0 ? 0 : hidden;
}

/// How often an activation, or its gradient, crosses the boundaries of one stage in a step.
inline double crossings_of(const Scenario& s, int64_t microbatches) {
  const double ways = s.job.phase == Phase::train ? 2 : 1;  // activations forward, gradients back
  return ways * static_cast<double>(s.parallelism.interleave) * static_cast<double>(microbatches);
}

/// The same for all crossings of a pipeline's boundary, of which `exposed` seconds are exposed.
inline double hidden_crossings(double crossings, double seconds, double exposed) {
  const double all = crossings * seconds;
  return (all < exposed ? exposed : all) - exposed;
}

}  // namespace planner
