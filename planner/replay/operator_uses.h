// Operators of a step, from a trace and from the planner, distinguished in the same way.
//
// Both are of one step of one GPU. From a trace: the mean over the steps of its ranks. From a plan: the rows of
// `trainplan ops`, that is of the stage that finishes last, with embedding and head.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan/ops.h"
#include "planner/replay/kernel_work.h"
#include "planner/trace/collectives.h"
#include "planner/trace/steps.h"

namespace planner::replay {

/// Identifies a kind of operators. All operators of a kind without names of sizes are alike.
struct UseKind {
  std::string_view name;                  // "gemm", "all-reduce"
  KernelWork work;                        // whose sum it is in
  std::array<const char*, 5> sizes = {};  // as `trainplan ops` names them
};

/// How often and how long, in a step of one GPU.
struct Spent {
  double count = 0, seconds = 0;
};

struct OperatorUse {
  const UseKind* kind = nullptr;  // of a table that lives as long as the program
  std::vector<double> sizes;      // as many as the kind has names; empty: unknown
  std::string name = {};          // the planner's: "mlp.up"; "": the trace's operators have none
  Spent spent;
};

/// Returns how many steps there are; 1 at least.
double count_of(const trace::RankSteps& steps);

/// Returns the work launched in the steps. The work of one operator with shapes is one use; any other kernel or copy is
/// a use of its own. For collectives, waits for other ranks are excluded if those ranks are in the trace.
std::vector<OperatorUse> measured_uses(const trace::Trace& trace, const trace::RankSteps& steps,
                                       const trace::Matched& matched);

/// Returns the uses in the planner's rows, without computation of the host.
std::vector<OperatorUse> planned_uses(const std::vector<OperatorRow>& rows);

}  // namespace planner::replay
