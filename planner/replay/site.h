// Where ranks run: a machine, and which of them share a node.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "operator_models/calibrate/sample.h"

namespace planner::replay {

struct Site {
  const operator_models::Machine* machine = nullptr;
  std::map<int64_t, size_t> hosts = {};  // by rank, of those given; the others fill the nodes in order
  std::optional<int64_t> ranks = {};     // of the run, if different from the trace's number
};

/// Returns the machine as the models see it: GEMMs at rates that a training step sustains. The machine outlives it.
/// REQUIRES: the machine has a network.
operator_models::Device device_of(const operator_models::Machine& machine);

/// Returns the placement of the ranks of a group. `members` empty: unknown; neighbours fill the domains.
operator_models::Group group_of(int64_t ranks, const std::vector<int64_t>& members, const Site& site);

}  // namespace planner::replay
