// What a fitted model's values are worth: confidence and prediction intervals of the linear fit with the terms that
// were chosen. That other terms might have been is not in them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "planner/scaling/least_squares.h"

namespace planner::scaling {

struct Interval {
  double low, high;
};

/// Of one model and the points it was fitted to.
class Band {
 public:
  /// `points`: the coordinates of each, one per parameter.
  Band(const Pmnf& model, std::span<const std::vector<double>> points, std::span<const double> values,
       double level = 0.95);

  /// Where the mean of many measurements at `x` lies: f(x) +- t s sqrt(v^T (A^T A)^-1 v), v the terms at x, s^2 =
  /// RSS / (points - coefficients), t Student's. None: no more points than coefficients, or they do not tell the terms
  /// apart.
  std::optional<Interval> confidence(std::span<const double> x) const;

  /// Where one more measurement at `x` lies: the same with 1 + v^T (A^T A)^-1 v.
  std::optional<Interval> prediction(std::span<const double> x) const;

  /// s, the standard deviation of the residuals.
  std::optional<double> residual() const;

 private:
  std::optional<Interval> about(std::span<const double> x, double more) const;

  Pmnf model_;
  LeastSquares system_;
  double residual_ = 0, t_ = 0;  // t_ 0: unknown
};

}  // namespace planner::scaling
