// What a machine may have more or less of: peaks, bandwidths, latencies, memory, prices.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

inline constexpr const char* kMemoryKnob = "cluster.gpu.memory";
inline constexpr const char* kHostMemoryKnob = "cluster.host.memory";

struct Knob {
  std::string field;  // path; `cluster.gpu.flops` stands for the peaks of all precisions
  std::function<void(Scenario&, double factor)> scale;
};

/// Peaks, memory and its bandwidth, every tier of the network, prices that are given; the link to the host where
/// something is offloaded.
std::vector<Knob> knobs_of(const Scenario& scenario, bool offloads);

}  // namespace planner
