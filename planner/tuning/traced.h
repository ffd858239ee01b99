// The backward pass of a measured run: when its gradients were ready, and how long their reductions took.
//
// A gradient is an operator that hands one over (PyTorch: torch::autograd::AccumulateGrad, one for each parameter). It
// is ready when all work launched up to then has run. It belongs to the first all-reduce launched after it began:
// PyTorch launches a bucket from the hook of its last gradient.
// Times are those of the device, so host time that delays it counts as computation. They are means over steps and
// ranks.
#pragma once

#include "planner/trace/collectives.h"
#include "planner/tuning/subject.h"

namespace planner::tuning {

/// Returns the pass, with the measured buckets as its present strategy. A reduction takes
///
///     t(s, k) = k a + b s
///
/// a, b >= 0 by least squares through the shortest measured one of each size (the others waited for a rank). Operators
/// are not fused: the trace does not show the savings. Sizes of gradients are those of their recorded shapes, else
/// equal parts of their bucket (`assumes_sizes`).
Tunable traced_pass(const trace::Trace& trace, const trace::Matched& matched);

}  // namespace planner::tuning
