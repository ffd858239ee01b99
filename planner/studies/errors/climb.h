// The positive numbers of the highest score, one at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace planner {

/// Multiplies one number after the other by e^step and e^-step as long as the score rises, and halves the step where
/// none does, from 0.5 to `last`. No number falls below `least`.
template <class Score>
std::vector<double> climbed(std::vector<double> at, double least, double last, const Score& score) {
  double best = score(at);
  for (double step = 0.5; step > last;) {
    bool rises = false;
    for (size_t i = 0; i < at.size(); ++i)
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> there = at;
        there[i] = std::max(least, there[i] * std::exp(sign * step));
        if (const double value = score(there); value > best) best = value, at = there, rises = true;
      }
    if (!rises) step /= 2;
  }
  return at;
}

}  // namespace planner
