// Which prefix of a combination decides what: a search walks decisive items first, and skips whole subtrees.
//
// The order of the walk is not that of the scenario. Candidates, counts and ties are those of the scenario's order
// (`Position`).
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// Returns the items of the space: first those that layout rules read, then those that the memory reads, last the free
/// ones. Within each group, items that are expensive to recompute come first.
std::vector<size_t> walk_order(const OpenScenario& open);

/// Returns the first of the free levels, which are the last ones: independent choices that no layout rule depends on,
/// and that affect a plan through blocks alone (readers.h, acts_through_blocks). Equal to the number of levels if none
/// is free. `order`: the items by level.
size_t free_from(const OpenScenario& open, const std::vector<size_t>& order);

/// For a cursor's walk: up to which level a combination's values decide. Values at deeper levels do not matter.
class WalkPrefixes {
 public:
  /// `order`: the items by level, of `walk_order` or the space's own.
  WalkPrefixes(const OpenScenario& open, const std::vector<size_t>& order);

  /// The first layout rule that is broken is this one.
  size_t of_rule(size_t rule) const { return by_rule_[rule]; }
  /// No layout rule is broken, and the memory is known.
  size_t of_memory() const { return memory_; }

 private:
  std::vector<size_t> by_rule_;
  size_t memory_ = 0;
};

}  // namespace planner
