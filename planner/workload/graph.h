// Results from the edges of a block: an order of its operators, the critical path, operators that may run in parallel.
#pragma once

#include <span>
#include <vector>

#include "planner/workload/costed_workload.h"

namespace planner {

/// Each operator behind its producers; of several candidates, the first of the block. Operators on a cycle, and their
/// successors, are left out.
std::vector<int> topological_order(std::span<const WorkOp> ops);

/// The chain of operators, each a producer of the next, that takes longest.
struct OperatorPath {
  std::vector<int> ops;  // the first one first
  double seconds = 0;    // of them
};
/// `seconds`: of each operator, not below 0. REQUIRES: no circle.
OperatorPath longest_path(std::span<const WorkOp> ops, std::span<const double> seconds);

/// For each operator, whether `from` reaches it through producers, their producers, and so on.
std::vector<bool> reached_from(std::span<const WorkOp> ops, int from);

/// Operators of one phase that may run side by side (WorkOp::independent).
struct SideBySide {
  StepPhase phase = StepPhase::forward;
  std::vector<int> ops;
  double seconds = 0, longest = 0;  // one after the other; the longest of them
};

/// One pass of a block: forward, or backward with recomputation.
struct PassPath {
  OperatorPath path;
  double seconds = 0;  // of all its operators
  /// How many operators run at a time on average if nothing but the edges held them back.
  double parallelism() const { return path.seconds > 0 ? seconds / path.seconds : 1; }
};

/// Seconds of one microbatch: of communication those that nothing hides. Launches by the host are not in them.
struct BlockGraph {
  std::vector<double> seconds;  // by operator: all its calls
  PassPath forward, backward;
  std::vector<SideBySide> groups;
};
BlockGraph graph_of(const CostedBlock& block, std::span<const WorkOp> ops);

}  // namespace planner
