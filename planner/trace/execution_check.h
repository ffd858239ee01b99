// Whether the nodes of an execution trace hold together.
#pragma once

#include "planner/trace/execution.h"

namespace planner::trace {

/// What a format says of `ExecutionNode::control`.
enum class Control : uint8_t {
  all_there,  // every node that is named is in the file
  some_left,  // converters leave nodes out and keep what they were called from
};
/// Checks that ids are there once and that what nodes depend on is in the file. With `skip_broken` the later node of
/// one id, and dependencies on nodes that are not there, are left out; each is noted.
void check_nodes(Execution& execution, Control control, bool skip_broken);

}  // namespace planner::trace
