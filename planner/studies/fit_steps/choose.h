// Which numbers the rows can determine, inside the budget of each owner.
#pragma once

#include <string>
#include <vector>

#include "dsl/diagnostic.h"
#include "planner/studies/fit_steps/weights.h"

namespace planner {

/// Why a number stays as shipped.
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

/// Chooses the numbers to fit. A number is fitted if three rows of its owner are sensitive to it, its prior's standard
/// error moves the predictions by a fifth of theirs or more, and the owner's budget allows it; the most influential
/// come first.
/// `only` holds paths (of the table, or for an owner), for which one row is enough. The budget is a limit then: paths
/// beyond it are diagnosed, and so is a path that names nothing. `slopes` are those at the shipped profile.
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
