// The kernels of one profile: its events summed in each step, and their median over the steps (Extra-Deep, section 2.2,
// step 1).
//
// Sums of events by kernel and step.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "planner/scaling/read/nsight_steps.h"

namespace planner::scaling {

struct StepSum {
  size_t window = 0;
  double time = 0, visits = 0, bytes = 0;  // ns, -, bytes
};

/// Sums of the events of one table. An event belongs to the window in which it starts; one outside all windows belongs
/// to no step and is not added.
class StepSums {
 public:
  explicit StepSums(const StepWindows& windows) : windows_(windows.list) {}

  void add(int64_t name, int64_t start, int64_t end, int64_t bytes);

  /// Hands over the sums by name: one for each window that the name has events in, in the order of the windows.
  std::unordered_map<int64_t, std::vector<StepSum>> take();

 private:
  bool find_window(int64_t start);

  std::span<const StepWindow> windows_;
  size_t window_ = 0;  // of the last event: the next one is mostly in the same
  std::unordered_map<int64_t, std::vector<StepSum>> sums_;
  int64_t last_name_ = 0;
  std::vector<StepSum>* last_ = nullptr;
};

/// Returns the median of `count` values (steps, ranks, repetitions): those of `values`, and zeros. Reorders the values.
double median_with_zeros(std::vector<double>& values, size_t count);

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
