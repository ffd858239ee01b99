// The peak device memory of a traced run, and how passes change it.
//
//     parameters     as large as their gradients; the trace gives their sizes (shapes, or reduced bytes)
//     states         as many times the parameters as the recorded optimizer has states
//     activations    kept by the forward pass (replay/step_work.h)
//     others         if allocations were recorded: the rest of their peak
//
// Recorded allocations give the peak of a step, of the device with the most. If they have no total, they start with the
// profile: parameters, gradients and states existed before, and are added. If they have one, it is the peak, and only
// gradients that fit into it are counted.
#pragma once

#include <string>

#include "planner/replay/pass_edits.h"
#include "planner/tuning/real_graph.h"
#include "planner/tuning/subject.h"

namespace planner::tuning {

struct TraceMemory {
  replay::Kept kept = replay::Kept::unknown;  // where activations are from
  std::string optimizer;                      // "SGD"; "": none is recorded, and counts as one without states
  double parameter_bytes = 0, gradient_bytes = 0, state_bytes = 0, activation_bytes = 0, other_bytes = 0;

  double peak_bytes() const { return parameter_bytes + gradient_bytes + state_bytes + activation_bytes + other_bytes; }
};

/// Returns the estimate of the rank that needs the most. `gradient_bytes`: of a step, if known from the reductions.
TraceMemory memory_of(const RealGraph& graph, double gradient_bytes);

/// Returns the peak with passes: of activations a part of the batch's, and what recomputation keeps; at 16 bits half of
/// that, and parameters once more in 16 bits.
double peak_with(const replay::PassEdits& passes, const TraceMemory& memory, const replay::TraceWork& work);

}  // namespace planner::tuning
