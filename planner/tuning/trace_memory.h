// What a traced run keeps in its device's memory at the most, and what passes make of that.
//
//     parameters     as large as their gradients, whose sizes the trace says (shapes, or what was reduced)
//     states         as many parameters' as the recorded optimizer has
//     activations    what the forward pass keeps (replay/step_work.h)
//     others         where allocations were recorded: the rest of their peak
//
// Recorded allocations say the peak of a step, of the device that has the most. Where they say no total they begin with
// the profile: parameters, gradients and states, which were there before, are added. Where they do, the peak is theirs,
// and of gradients only what has room in it lives then.
#pragma once

#include <optional>
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

/// Returns the estimate of the rank that needs the most. `gradient_bytes`: of a step, where the reductions say them.
TraceMemory memory_of(const RealGraph& graph, double gradient_bytes);

/// Returns the peak with passes: of activations a part of the batch's, and what recomputation keeps; at 16 bits half of
/// that, and parameters once more in 16 bits.
double peak_with(const replay::PassEdits& passes, const TraceMemory& memory, const replay::TraceWork& work);

}  // namespace planner::tuning
