// One solution of the problem's normal equations: a set of rows, a set of numbers.
#pragma once

#include <vector>

#include "operator_models/calibrate/least_squares.h"
#include "planner/studies/fit_steps/problem.h"

namespace planner {

/// Numbers that share rows, and those rows; nothing outside depends on them.
struct Component {
  std::vector<size_t> instances, rows;
};
/// Returns the components of some of the instances, by the nonzero slopes. A row that none of them moves is in no
/// component.
std::vector<Component> components(const StepProblem& problem, const std::vector<size_t>& instances,
                                  const std::vector<RowSlope>& slopes);

class ComponentSolver {
 public:
  ComponentSolver(const StepProblem& problem, const std::vector<RowWeight>& weights)
      : problem_(problem), weights_(weights) {}

  /// Minimises over the component's numbers, from `u` (one coordinate for each instance of the problem) and into it.
  /// Slopes that were taken at `u` before may be given as `kept`, and are used throughout instead of new ones. The rows
  /// `without` do not count.
  operator_models::LeastSquares solve(const Component& component, std::vector<double>& u,
                                      const std::vector<RowSlope>* kept, const std::vector<char>& without) const;

 private:
  const StepProblem& problem_;
  const std::vector<RowWeight>& weights_;
};

}  // namespace planner
