// Fits few numbers of profiles to measured steps, with a pull towards the shipped values; and scores the fit on unseen
// groups. Equations: docs/models.md, "Fitting profiles to measured steps".
#pragma once

#include <string>
#include <vector>

#include "operator_models/calibrate/score.h"
#include "planner/studies/fit_steps/choose.h"
#include "planner/studies/fit_steps/fitter.h"

namespace planner {

/// Errors of one group's times or memories: with the shipped profiles, the fitted ones, and those fitted without it.
struct GroupResult {
  std::string group;
  bool memory = false;
  operator_models::Errors before, after, left_out;
};

struct StepsFit {
  std::vector<FittedNumber> numbers;
  std::vector<OwnerCount> counts;
  NumberChoice choice;
  std::vector<GroupResult> groups;                  // in order of first appearance, times first
  operator_models::Errors before, after, left_out;  // of all times
  operator_models::Errors memory_before, memory_after, memory_left_out;
  Ratios ratios_left_out;  // of each row, when its group was left out
  bool converged = true;
};

/// Fits, puts back what did not move by 1.4 standard errors (not with `only`, which is as in `choose`), and leaves each
/// group out in turn. Nothing is fitted after a diagnosed mistake. The scenarios keep the fitted values.
StepsFit fit_steps(StepProblem& problem, const std::vector<std::string>& only, dsl::Diagnostics& diagnostics);

}  // namespace planner
