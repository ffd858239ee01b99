// Which points to measure next, so that models can answer the question (Extra-Deep, section 2.3: five values of each
// parameter while the others stay fixed; section 4.3: points near the scale in question).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/scaling/models.h"

namespace planner::scaling {

struct Advice {
  std::vector<double> point;  // coordinates, one per parameter; empty: of all points
  std::string reason;
  double seconds = 0;  // the model's prediction there; 0: of all points
};

/// Returns the measurements that would make one model more certain, the most urgent first:
/// - values that a parameter lacks for five;
/// - points off the axes, if sums and products cannot be distinguished;
/// - points towards `reach` (a value of the first parameter), if it is more than four times beyond the last;
/// - more repetitions, if they vary by more than a tenth.
std::vector<Advice> advise(const Model& model, const std::vector<std::string>& parameters,
                           std::optional<double> reach = std::nullopt);

}  // namespace planner::scaling
