// A local model of the resources that concurrent GEMMs share: compute units and their store, the last-level cache, the
// memory (Pati 2024, sections 7.1 and 7.2; docs/techniques.md has the equations).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "operator_models/concurrency_policy.h"
#include "operator_models/cost.h"

namespace operator_models {

/// A kernel: the tile of C that a workgroup makes, the elements along k that it keeps in the local store, and the parts
/// that k is cut into.
struct GemmKernel {
  double tile_m = 0, tile_n = 0, depth = 1;
  double parts = 1;
  bool operator==(const GemmKernel&) const = default;
};

/// Among which a kernel for several at once is chosen, the one for a GEMM alone in front.
using Candidates = std::array<GemmKernel, 3>;

/// Counts for a kernel: workgroups, how many share a compute unit, waves of them.
struct KernelCounts {
  double workgroups = 0, occupancy = 1, waves = 0;
};

/// Whether the two are one shape to all models.
bool alike(const Gemm& x, const Gemm& y);

/// One device as the local model sees it. REQUIRES: the device outlives it; no GEMM is empty.
class SharedDevice {
 public:
  explicit SharedDevice(const Device& device, StreamEnds ends = StreamEnds::joined) : device_(device), ends_(ends) {}

  /// Seconds of kernels that start together, without launches; of streams that run back to back: of one kernel of each.
  /// `share`: of each resource, what all of them have.
  double seconds(std::span<const Gemm> gemms, std::span<const GemmKernel> kernels, const Share& share = {}) const;
  /// Likewise where each keeps to an equal part of the compute units, and all share cache and memory.
  double seconds_apart(std::span<const Gemm> gemms, std::span<const GemmKernel> kernels) const;
  /// The library's kernel that is fastest alone on a share of the device.
  GemmKernel tuned(const Gemm& gemm, const Share& share = {}) const;
  /// Kernels that are tuned for the whole device, its half and its quarter (compute units and cache; section 7.3.2.1).
  Candidates candidates(const Gemm& gemm) const;
  /// The fastest of these when `degree` identical GEMMs run.
  GemmKernel fastest(const Gemm& gemm, const Candidates& candidates, int64_t degree) const;
  KernelCounts counts(const Gemm& gemm, const GemmKernel& kernel) const;
  /// Bytes from and to memory of one of several GEMMs, each with `slots` workgroups at a time and `cache` bytes.
  double bytes(const Gemm& gemm, const GemmKernel& kernel, double slots, double cache) const;

 private:
  GemmKernel tune(const Gemm& gemm, const Share& share) const;
  double store_bytes(const Gemm& gemm, const GemmKernel& kernel) const;
  bool fits(const Gemm& gemm, const GemmKernel& kernel) const;

  const Device& device_;
  StreamEnds ends_;
};

}  // namespace operator_models
