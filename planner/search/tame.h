// Whether the step of a candidate is a finite number for sure, before it is known.
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// All rates, efficiencies and widths of a scenario have limits from below (their fields' lines), and times of single
/// events limits from above. A step is then a sum of products of a few numbers and counts; where each of them is zero
/// or of a size that any machine could have, it cannot leave the numbers, and neither can its interval.
class Tame {
 public:
  explicit Tame(const OpenScenario& open);

  /// Returns whether the candidate under the cursor has no number of another size. REQUIRES: all its values are known.
  bool holds(const dsl::Cursor& cursor) const;

 private:
  bool always_ = true;           // of all fields whose values are known from the start
  std::vector<size_t> unknown_;  // other items
};

}  // namespace planner
