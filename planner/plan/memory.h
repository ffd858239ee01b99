// Memory of each stage, summed from what the workload owns and keeps (docs/models.md, memory table).
#pragma once

#include <span>
#include <vector>

#include "planner/plan/memory_fit.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// Bytes on one GPU of a stage: allocated = the first five; reserved adds fragmentation; device is the total.
/// `host`: what this GPU keeps in the memory of its host.
struct StageMemory {
  int64_t stage = 0;
  double weights = 0, gradients = 0, optimizer = 0, activations = 0, temporary = 0, fragmentation = 0,
         device_overhead = 0, host = 0;
  double allocated() const { return weights + gradients + optimizer + activations + temporary; }
  double reserved() const { return allocated() + fragmentation; }
  double total() const { return reserved() + device_overhead; }
};

/// Each *_bytes is the maximum over stages; host bytes are those of the fullest node. `usable`: the largest peak that
/// fits with the probability `goal.fit`.
struct MemoryPeaks {
  double capacity_bytes = 0, usable_bytes = 0, peak_bytes = 0, allocated_bytes = 0, reserved_bytes = 0,
         device_bytes = 0;
  double host_capacity_bytes = 0, host_bytes = 0;
  MemoryError error;  // of the peak

  double probability() const { return fit_probability(error, peak_bytes, capacity_bytes); }
  FitVerdict verdict() const { return verdict_of(probability()); }
};
struct Memory : MemoryPeaks {
  std::vector<StageMemory> stages;
};

/// Whether a step has no gradients before its backward pass: they take the place of the activations that made them.
bool makes_gradients_late(const Scenario& scenario);
Memory make_memory(const Scenario& scenario, const Workload& workload);
/// Returns the peaks alone, of stages that are kept apart from their blocks. `holdings`: by class.
MemoryPeaks make_memory_peaks(const Scenario& scenario, const Workload& blocks, const StageDeal& deal,
                              std::span<const StageHoldings> holdings);

}  // namespace planner
