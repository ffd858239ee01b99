// When the gradients of a step are there, and which all-reduce each of them was reduced by.
//
// A gradient is an operator that hands one over (PyTorch: torch::autograd::AccumulateGrad, one for each parameter). It
// belongs to the first all-reduce that was launched after it began: PyTorch launches a bucket from the hook of its last
// gradient.
#pragma once

#include <string_view>
#include <vector>

#include "planner/trace/collectives.h"
#include "planner/trace/steps.h"

namespace planner::trace {

inline constexpr std::string_view kGradient = "torch::autograd::AccumulateGrad";

struct Gradient {
  uint32_t event = 0;  // of the rank
  /// On the host: all that computes it has been launched. That is the end of the operator around it, whose hooks copy
  /// the gradient into a buffer, where that one is of this gradient alone; else its own end.
  int64_t launched_ns = 0;
  size_t bucket = 0;  // in `reductions`; their number: it is behind the last
};

/// An all-reduce whose size is known.
struct GradientReduction {
  size_t collective = 0;  // in `Matched`
  uint32_t event = 0;     // of the rank
  int64_t launched_ns = 0;
};

/// Both by time.
struct GradientStep {
  std::vector<Gradient> gradients;
  std::vector<GradientReduction> reductions;
};

/// Returns them of each rank and each of its steps. `steps`: steps_of each rank.
std::vector<std::vector<GradientStep>> gradients_of(const Trace& trace, const RankSteps& steps, const Matched& matched);

}  // namespace planner::trace
