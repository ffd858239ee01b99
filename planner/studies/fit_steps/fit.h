// Fits few numbers of profiles to measured steps, with a pull towards the shipped values; and scores the fit on unseen
// groups. Equations: docs/models.md, "Fitting profiles to measured steps".
//
// Which numbers the rows can determine, inside the budget of each owner.
#pragma once

#include <string>
#include <vector>

#include "dsl/diagnostic.h"
#include "operator_models/calibrate/score.h"
#include "planner/studies/fit_steps/fitter.h"
#include "planner/studies/fit_steps/problem.h"

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
