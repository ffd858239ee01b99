// The kernels of one profile: its events summed in each step, and their median over the steps (Extra-Deep, section 2.2,
// step 1).
#pragma once

#include <string>
#include <vector>

#include "planner/scaling/read/nsight_steps.h"

namespace planner::scaling {

/// A kernel has its figures in a median step of its phase. A step without it counts as zero.
struct StepKernel {
  std::string callpath;  // "kernel->NAME", "memcpy->host to device", "nvtx->main->train", ...
  KernelCategory category = KernelCategory::none;
  Phase phase = Phase::training;
  double time = 0;  // s
  double visits = 0;
  double bytes = 0;  // where `has_bytes`
  bool has_bytes = false;
};

/// Returns all kernels that a step of the profile has, each call path once for a phase. The durations of the steps
/// themselves are the kernel "step".
std::vector<StepKernel> read_kernels(Database& database, const StepWindows& windows, const Strings& strings);

}  // namespace planner::scaling
