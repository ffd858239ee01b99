// The solution over all components: numbers with their errors, and predictions of left-out rows from the rest.
#pragma once

#include <string>
#include <vector>

#include "planner/studies/fit_steps/components.h"

namespace planner {

using Ratios = std::vector<LogRatios>;  // of each row

struct FittedNumber {
  Owner owner = Owner::software;
  std::string owner_name, path;
  std::vector<std::string> paths;  // of every place: more than one where the path has a '*'
  dsl::Dim dim;
  double shipped = 0, fitted = 0;
  double error = 0;    // one standard error, the pull's knowledge included; 0 at a bound
  bool moved = false;  // by more than that
  double pulls = 0;    // how far, in standard errors of the prior
  bool at_bound = false;
  int rows = 0;                     // that feel it
  std::vector<std::string> groups;  // the fewest that hold 80 % of the rows' information about it
};

class Fitter {
 public:
  Fitter(const StepProblem& problem, std::vector<RowWeight> weights, std::vector<size_t> chosen);
  Fitter(const Fitter&) = delete;  // the solver refers to the weights
  Fitter& operator=(const Fitter&) = delete;

  /// Fits from the shipped profile. With `selects`, a number that did not move by 1.4 standard errors goes back to what
  /// is shipped and the rest is fitted again, the least of them first. Returns whether every component converged.
  bool fit(const std::vector<RowSlope>& shipped_slopes, bool selects);
  bool keeps(size_t instance) const { return kept_[instance] != 0; }
  FittedNumber number(size_t instance) const;

  /// Returns the log ratios of each row with its fold left out: its group, or the row itself if all are of one group.
  /// The chosen numbers stay; slopes are those of the full fit. `fitted` holds the ratios of the full fit. A number
  /// whose rows are all left out takes the mean of its kind.
  Ratios left_out(const Ratios& fitted) const;

 private:
  bool solve(const Component& component, const std::vector<RowSlope>* slopes);
  void put_back(Component& component);
  double chi(const Component& component) const;
  bool is_orphan(size_t instance, const std::vector<char>& without) const;
  /// Returns the mean of the other numbers of the kind: the mean of a random effect, pulled towards the prior's. Each
  /// counts by 1 (the variance between owners) plus the square of its error.
  double mean_of_kind(size_t instance, const std::vector<char>& without) const;
  void leave_out(const Component& component, const std::vector<char>& without, Ratios& out) const;
  void tell_groups(size_t instance, FittedNumber& out) const;
  std::vector<RowSlope> slopes_here(const std::vector<size_t>& instances) const;

  const StepProblem& problem_;
  std::vector<RowWeight> weights_;
  std::vector<size_t> chosen_;
  ComponentSolver solver_;
  std::vector<double> u_, unit_errors_;  // of each instance of the problem
  std::vector<char> kept_;
  std::vector<Component> components_;
  std::vector<RowSlope> slopes_;  // at the end
};

}  // namespace planner
