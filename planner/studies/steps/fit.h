// The fit: few numbers of profiles, from measured steps, with a pull towards what is shipped; and what it is worth on
// groups that it has not seen. Equations: docs/models.md, "Fitting profiles to measured steps".
#pragma once

#include <string>
#include <vector>

#include "operator_models/calibrate/score.h"
#include "planner/studies/steps/choose.h"

namespace planner {

struct FittedNumber {
  Owner owner = Owner::software;
  std::string owner_name, path;
  dsl::Dim dim;
  double shipped = 0, fitted = 0;
  double error = 0;    // one standard error, the pull's knowledge included; 0 at a bound
  bool moved = false;  // by more than that
  bool at_bound = false;
  int rows = 0;                     // that feel it
  std::vector<std::string> groups;  // the fewest that hold 80 % of what the rows say about it
};

/// Errors of one group's times or memories: with the shipped profiles, the fitted ones, and those fitted without it.
struct GroupResult {
  std::string group;
  bool memory = false;
  operator_models::Errors before, after, left_out;
};

struct StepsFit {
  std::vector<FittedNumber> numbers;
  std::vector<OwnerCount> counts;
  Choice choice;
  std::vector<GroupResult> groups;                  // in order of first appearance, times first
  operator_models::Errors before, after, left_out;  // of all times
  operator_models::Errors memory_before, memory_after, memory_left_out;
  bool converged = true;
};

/// Fits, and leaves each group out in turn (each row, where all are of one group). `only` as in `choose`. Nothing is
/// fitted after a diagnosed mistake. The scenarios keep the fitted values.
StepsFit fit_steps(StepProblem& problem, const std::vector<std::string>& only, dsl::Diagnostics& diagnostics);

}  // namespace planner
