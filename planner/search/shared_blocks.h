// Layers, embedding and head of some candidates: they are expensive to build, and candidates share them.
#pragma once

#include <mutex>
#include <vector>

#include "planner/search/calls.h"
#include "planner/workload/costed_workload.h"
#include "planner/workload/partition.h"

namespace planner {

/// Holds layers, embedding and head of some candidates: their contents, and, if a candidate fits, their times. Users
/// call `std::call_once(made, ...)`, and for the times `std::call_once(timed, ...)`. Afterwards nothing changes but the
/// members after the mutex.
struct Blocks {
  uint64_t id = 0;  // never given twice
  std::once_flag made, timed;
  CostedWorkload costed;  // without operators; of saved tensors the sum alone
  std::vector<BlockHoldings> holdings;
  std::vector<BlockCalls> calls;  // by block, with the times, if hidden communication is requested
  bool priced = true;             // operator_models::Cost, of all operators
  bool shared = true;             // its collectives run in groups that the key names: other candidates may have it
  std::mutex step_ops;            // for `costed.workload.classes`, where a stage's step operators are made
};

}  // namespace planner
