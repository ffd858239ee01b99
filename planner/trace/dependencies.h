// Dependencies of nodes of an execution trace that the file does not list: by the tensors that they read and write, and
// of a backward pass on its forward operator.
#pragma once

#include <vector>

#include "planner/trace/execution.h"

namespace planner::trace {

/// Two nodes, or two events: `to` needs what `from` does.
struct Dependency {
  uint32_t from = 0, to = 0;  // places in `Execution::nodes`, or in `RankTrace::events`
  bool operator==(const Dependency&) const = default;
};

/// Returns the producers of each node's inputs. The producer of a tensor is the last node that began before the reader,
/// has the tensor among its outputs and does not contain the reader. Nodes begin in the order of their ids; the control
/// of a node names the node that contains it. Each pair occurs once; by `to`, then `from`, in the order of ids.
std::vector<Dependency> tensor_dependencies(const Execution& execution);

/// Returns for each backward pass the operator of the forward pass that has its sequence number in its forward thread:
/// of several, which nest, the last.
std::vector<Dependency> backward_dependencies(const Execution& execution);

}  // namespace planner::trace
