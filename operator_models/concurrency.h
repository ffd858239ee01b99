// GEMMs side by side on one device (Pati 2024, chapter 7).
//
// What a GEMM takes alone its own model says. How long several take together over one after the other is asked of a
// local model of what they share - compute units, their store, cache and memory bandwidth - so that a device without
// concurrency costs what it did (docs/techniques.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "operator_models/concurrency_policy.h"
#include "operator_models/cost.h"
#include "operator_models/predictor.h"

namespace operator_models {

/// A kernel: the tile of C that a workgroup makes, and the parts that k is cut into.
struct GemmKernel {
  double tile_m = 0, tile_n = 0, efficiency = 1;  // of the rate of the best tile
  double parts = 1;
  bool operator==(const GemmKernel&) const = default;
};

/// What is counted of a kernel: workgroups, how many share a compute unit, waves of them.
struct KernelCounts {
  double workgroups = 0, occupancy = 1, waves = 0;
};

/// One device as the local model sees it. REQUIRES: the device outlives it; no GEMM is empty.
class SharedDevice {
 public:
  explicit SharedDevice(const Device& device) : device_(device) {}

  /// Seconds of kernels that start together, without launches; `share`: of each resource, what all of them have.
  double seconds(std::span<const Gemm> gemms, std::span<const GemmKernel> kernels, const Share& share = {}) const;
  /// The kernel that is fastest alone on a share of compute units and cache (section 7.3.2.1).
  GemmKernel tuned(const Gemm& gemm, double share = 1) const;
  /// Of the kernels tuned for the whole device, its half and its quarter, the fastest among `degree` alike.
  GemmKernel tuned_for(const Gemm& gemm, int64_t degree) const;
  KernelCounts counts(const Gemm& gemm, const GemmKernel& kernel) const;

 private:
  double bytes(const Gemm& gemm, const GemmKernel& kernel, double cache) const;
  double store_bytes(const Gemm& gemm, const GemmKernel& kernel) const;

  const Device& device_;
};

/// GEMMs that may run at once, and how they do.
struct Concurrent {
  int64_t degree = 1;               // at once
  std::vector<GemmKernel> kernels;  // of each
  double gain = 1;                  // of seconds one after the other over these, launches apart
  int64_t rounds = 1;               // one after the other, each a launch
  double overhead_seconds = 0;      // of the decision, where nothing hides it
};
/// REQUIRES: at least one GEMM, none empty.
Concurrent run_concurrently(std::span<const Gemm> gemms, Concurrency policy, const Device& device);

}  // namespace operator_models
