// The uncertainty of a fitted model's values: confidence and prediction intervals of the linear fit with the chosen
// terms. They do not include the uncertainty of the choice of terms.
//
// Student's t distribution.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "planner/scaling/linear_least_squares.h"

namespace planner::scaling {

/// Returns P(T <= t) with `freedom` degrees of freedom > 0.
double student_cdf(double t, double freedom);

/// Returns the t with P(|T| <= t) = level, 0 < level < 1: 2.776 for 95 % and 4.
double student_two_sided(double level, double freedom);

struct Interval {
  double low, high;
};

/// A band belongs to one model and the points that it was fitted to.
class Band {
 public:
  /// `points` holds the coordinates of each point, one per parameter.
  Band(const Pmnf& model, std::span<const std::vector<double>> points, std::span<const double> values,
       double level = 0.95);

  /// Returns the interval for the mean of many measurements at `x`: f(x) +- t s sqrt(v^T (A^T A)^-1 v), where v are the
  /// terms at x, s^2 = RSS / (points - coefficients), and t is Student's. nullopt: there are no more points than
  /// coefficients, or the points do not distinguish the terms.
  std::optional<Interval> confidence(std::span<const double> x) const;

  /// Returns where one more measurement at `x` lies: as `confidence`, with 1 + v^T (A^T A)^-1 v under the root.
  std::optional<Interval> prediction(std::span<const double> x) const;

  /// Returns `confidence` and `prediction`, for little more than one of them.
  struct Both {
    std::optional<Interval> confidence, prediction;
  };
  Both both(std::span<const double> x) const;

  /// Returns s, the standard deviation of the residuals.
  std::optional<double> residual() const;

 private:
  /// f(x), and v^T (A^T A)^-1 v.
  std::pair<double, double> value_and_leverage(std::span<const double> x) const;

  Pmnf model_;
  LinearLeastSquares system_;
  double residual_ = 0, t_ = 0;  // t_ 0: unknown
};

}  // namespace planner::scaling
