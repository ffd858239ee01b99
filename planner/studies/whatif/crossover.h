// At which machine the better of two plans would be the worse one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

inline constexpr double kMostFactor = 4;  // factors from 1/4 to 4 are tried

/// A crossover is the factor of a field, below 1 and above, nearest to 1, at which the order of two plans changes;
/// nullopt: it does not within the factors that are tried, or both plans are infeasible before.
struct Crossover {
  std::string field;  // as in machine_changes.h
  std::optional<double> below, above;
};

/// Returns a row for every quantity of the machine. Plans are ordered by the goal of `a`: a plan that fits, within
/// deadline, budget and `where`, comes before one that does not; then the goal decides, then the step. Layouts stay.
/// REQUIRES: both have a plan.
std::vector<Crossover> crossovers(const LoadedScenario& a, const LoadedScenario& b);

}  // namespace planner
