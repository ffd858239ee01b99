// GEMMs side by side on one device (Pati 2024, chapter 7).
//
// The time of one GEMM alone comes from its own model. The ratio of several together to one after the other comes from
// a local model of what they share (shared_device.h). A device without concurrency thus costs the same as before
// (docs/techniques.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "operator_models/concurrency_policy.h"
#include "operator_models/shared_device.h"

namespace operator_models {

/// GEMMs that may run at once, and how they do.
struct Concurrent {
  int64_t degree = 1;               // at once; of several kinds that each have their own, the least
  std::vector<GemmKernel> kernels;  // of each
  double gain = 1;                  // of seconds one after the other over these, launches apart
  int64_t rounds = 1;               // one after the other, each a launch
  double overhead_seconds = 0;      // of the decision, where nothing hides it
};
/// Seconds of identical GEMMs (one takes `alone`, its launch included) that run like that in one measurement: the clock
/// falls after its burst.
double seconds_together(const ConcurrencyCalibration& row, const Concurrent& run, double all, double alone,
                        double launch);
/// Seconds that a measurement would have taken if the clock had not fallen.
double at_first_clock(const ConcurrencyCalibration& row, double seconds);

/// REQUIRES: at least one GEMM, none empty; identical ones adjacent, else they count as several kinds.
Concurrent run_concurrently(std::span<const Gemm> gemms, Concurrency policy, const Device& device,
                            StreamEnds ends = StreamEnds::joined);

}  // namespace operator_models
