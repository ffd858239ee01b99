// What nodes of an execution trace depend on besides what the file says: by the tensors that they take and give, and of
// a backward pass the operator that it is of.
#pragma once

#include <vector>

#include "planner/trace/execution.h"

namespace planner::trace {

/// Two nodes, or two events: `to` needs what `from` does.
struct Dependency {
  uint32_t from = 0, to = 0;  // places in `Execution::nodes`, or in `RankTrace::events`
  bool operator==(const Dependency&) const = default;
};

/// Returns the nodes that made what each node takes: of each tensor the last one that began before the node, has the
/// tensor among its outputs and is none that the node runs in. Nodes begin in the order of their ids, and run in the
/// one that their control names. Each pair stands once; by `to`, then `from`, in the order of ids.
std::vector<Dependency> tensor_dependencies(const Execution& execution);

/// Returns for each backward pass the operator of the forward pass that has its sequence number in its forward thread:
/// of several, which nest, the last.
std::vector<Dependency> backward_dependencies(const Execution& execution);

}  // namespace planner::trace
