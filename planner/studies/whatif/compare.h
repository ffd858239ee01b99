// What each difference between two scenarios is worth: seconds of a step, dollars of the run.
//
//     w(i) = ((T(A with B's 1..i) - T(A with B's 1..i-1)) + (T(B with A's 1..i-1) - T(B with A's 1..i))) / 2
//
// Differences are moved one after the other, from A to B and from B to A; a difference is worth the mean of its two
// steps (the Shapley value over these two orders), so that interactions are shared evenly and the worths add up.
// Neighbours between which either way meets a layout that does not work (tp without dp) are one row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

struct Difference {
  std::string cause;  // the differences, joined by " + "
  std::string a, b;   // its values
  double seconds = 0;
  std::optional<double> usd;  // null where either run's dollars are undefined
};

/// Returns rows whose seconds, added in order, are the difference of the steps (B less A) to the last bit, and whose
/// dollars are that of the runs. They change sign with the order of A and B. Empty if nothing differs, or a layout does
/// not work. If no row can absorb the rounding of that sum, it is a last row `rounding`.
std::vector<Difference> compare(const LoadedScenario& a, const LoadedScenario& b);

}  // namespace planner
