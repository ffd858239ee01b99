// How many combinations a space has, without walking it.
#pragma once

#include "dsl/space.h"

namespace dsl {

struct SpaceSize {
  double candidates = 0;       // as a walk counts them
  bool exact = false;          // every descent saw the same number
  std::vector<double> values;  // by item: its average number of values where it has any; 1 for a computed item
};

/// The mean over random descents of the product of the numbers of values on the way: unbiased for trees of any shape
/// (Knuth 1975, Estimating the efficiency of backtrack programs, Mathematics of Computation 29, section 2), exact where
/// no choice depends on another. The descents are the same each time.
SpaceSize size_of(const Space& space, int descents);

}  // namespace dsl
