// Memory of each stage, summed from the weights, states and kept tensors of the workload (docs/models.md, memory
// table).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "planner/plan/memory_fit.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// Bytes on one GPU of a stage: allocated = the first five; reserved adds fragmentation; device is the total.
/// `host`: bytes of this GPU in the memory of its host.
struct StageMemory {
  int64_t stage = 0;
  double weights = 0, gradients = 0, optimizer = 0, activations = 0, temporary = 0, fragmentation = 0,
         device_overhead = 0, host = 0;
  double allocated() const { return weights + gradients + optimizer + activations + temporary; }
  double reserved() const { return allocated() + fragmentation; }
  double total() const { return reserved() + device_overhead; }
};

/// Peaks are the maximum over stages; that of the host is of the fullest node.
struct MemoryPeaks {
  MemoryUse device, host;
  double allocated_bytes = 0, reserved_bytes = 0;  // of the device

  /// Probability that both memories suffice: the smaller of the two, since it is unknown whether their errors
  /// correlate.
  double probability() const { return std::min(device.probability(), host.probability()); }
  FitVerdict verdict() const { return verdict_of(probability()); }
  bool overflows() const { return device.overflows() || host.overflows(); }
  bool surely_fits() const { return device.surely_fits() && host.surely_fits(); }
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
