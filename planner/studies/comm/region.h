// The region of interest: the minimal run for a measurement of communication and compute.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// A row is a region of interest (5.3.2.2, step 2.a): only the backward GEMMs of each weight matrix and the collective
/// of its gradient are costed, seconds of one layer and microbatch; the last row of a layer holds biases and norms,
/// without GEMMs.
struct RegionRow {
  std::string name;
  double compute_seconds = 0, collective_bytes = 0, collective_seconds = 0;
};
struct Region {
  std::vector<RegionRow> layers;
  std::optional<double> overlapped_over_hiding_compute;  // of all; nullopt: nothing is reduced
  /// Calls of a step, and the seconds that they are predicted to take; those of the region, which is the backward pass
  /// of one microbatch.
  double operators = 0, region_operators = 0, operator_seconds = 0, region_seconds = 0;
  double gemm_flops = 0, region_flops = 0;  // of the layers' GEMMs with weights, one microbatch
};
Region cost_region(const Scenario& scenario);

}  // namespace planner
