// The quantities of a machine that may be more or less: what the sensitivities of a plan and the machines on which the
// order of two plans changes walk over. Changes of a layout: resolve/layout_policy.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

inline constexpr const char* kMemoryField = "cluster.gpu.memory";
inline constexpr const char* kHostMemoryField = "cluster.host.memory";

/// A quantity of a machine that may be more or less.
struct MachineChange {
  std::string field;  // path; `cluster.gpu.flops` covers the peaks of all precisions
  std::function<void(Scenario&, double factor)> scale;
};

/// Returns peaks, memory and its bandwidth, every tier of the network, the prices that are given and, where something
/// is offloaded, the link to the host.
std::vector<MachineChange> machine_changes(const Scenario& scenario, bool offloads);

}  // namespace planner
