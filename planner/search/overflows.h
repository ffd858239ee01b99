// Layouts that overflow with a smaller microbatch: with a larger one, all else equal, they do too, unless that has one
// microbatch and no gradients to accumulate.
#pragma once

#include <vector>

#include "planner/plan/memory.h"
#include "planner/scenario/scenario.h"
#include "planner/search/memo.h"

namespace planner {

class Overflows {
 public:
  /// `order`: the items by level; `free_from`: the first free level (prefixes.h).
  Overflows(const OpenScenario& open, const std::vector<size_t>& order, size_t free_from);

  /// Returns the least memory of the candidates that share the scenario's values at the first `levels`, except for a
  /// smaller microbatch; null: none is known to overflow the device. `neighbours`: other inputs of the memory.
  /// REQUIRES, of both: levels >= free_from.
  const MemoryPeaks* with_less(const Scenario& scenario, size_t levels, const LevelWords& words, uint64_t neighbours);
  /// Records their least memory.
  void note(const Scenario& scenario, size_t levels, const LevelWords& words, uint64_t neighbours,
            const MemoryPeaks& least);
  size_t bytes() const;
  void forget();

 private:
  struct LeastOverflow {
    int64_t microbatch = 0;  // 0: nothing is known
    MemoryPeaks least;
  };
  LeastOverflow& at(size_t levels, const LevelWords& words, uint64_t neighbours);

  size_t free_from_;
  bool is_open_ = false;                       // whether gradients accumulate is a choice
  std::vector<PartMemo<LeastOverflow>> kept_;  // by levels, from free_from
};

}  // namespace planner
