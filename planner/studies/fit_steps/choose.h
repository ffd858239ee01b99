// Which numbers the rows can determine, inside the budget of each owner.
#pragma once

#include <string>
#include <vector>

#include "dsl/diagnostic.h"
#include "planner/studies/fit_steps/weights.h"

namespace planner {

/// A reason says why a number stays as shipped.
enum class Reason { unused, few_rows, weak, budget, unmoved, no_ratio };
const char* text_of(Reason reason);

struct LeftAlone {
  size_t instance = 0;
  Reason reason = Reason::unused;
};

struct NumberChoice {
  std::vector<size_t> instances;      // fitted, in the order of the table
  std::vector<LeftAlone> left_alone;  // the others
};

/// Chooses the numbers to fit: a number is fitted where three rows of its owner feel it, its prior's standard error
/// moves the predictions by a fifth of theirs or more, and the owner's budget lasts: those that move most come first.
/// `only` holds paths (of the table or as they stand for an owner), of which one row is enough; the budget is a limit
/// then, and what exceeds it is diagnosed, like a path that names nothing. `slopes` are those at the shipped profile.
NumberChoice choose(const StepProblem& problem, const std::vector<RowSlope>& slopes,
                    const std::vector<RowWeight>& weights, const std::vector<std::string>& only,
                    dsl::Diagnostics& diagnostics);

/// Counts the fitted numbers of an owner: of a calibration the most of any precision.
struct OwnerCount {
  Owner owner = Owner::software;
  std::string name;
  int count = 0;
};
std::vector<OwnerCount> owner_counts(const StepProblem& problem, const std::vector<size_t>& instances);

}  // namespace planner
