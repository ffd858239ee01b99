// Nonlinear least squares: Levenberg-Marquardt with bounds (Marquardt, SIAM J. 1963; Moré, 1978), started from several
// points. Eigen solves the normal equations; no type of it shows here.
#pragma once

#include <functional>
#include <vector>

namespace operator_models {

struct Parameter {
  double start = 1;
  double least = 0, most = 1e300;  // the fit stays inside
  double step = 1e-4;              // relative step of the numeric derivative
  double pull = 0;                 // standard error of a prior around `start`, in ln(value / start); 0: none
};

/// Residuals (log ratios, commonly) at a point; always of the same length.
using Residuals = std::function<std::vector<double>(const std::vector<double>&)>;

/// d(residual) / d(parameter); parameters not listed have 0.
struct Slope {
  size_t residual = 0, parameter = 0;
  double value = 0;
};
using Slopes = std::function<std::vector<Slope>(const std::vector<double>&)>;

struct LeastSquares {
  std::vector<double> values;
  std::vector<double> errors;       // one standard error of each, from the curvature at the minimum; 0 at a bound
  std::vector<double> unit_errors;  // the same where each residual's own standard error is known to be 1
  double residual = 0;              // root mean square at the minimum, without the pull
  bool converged = false;
};

/// Minimises sum r^2 (+ sum (ln(x/start)/pull)^2). `starts`: further points to start from; the best end wins.
/// REQUIRES: least <= start <= most; positive starts where there is a pull.
LeastSquares least_squares(const Residuals& residuals, const std::vector<Parameter>& parameters,
                           const std::vector<std::vector<double>>& starts = {}, int most_iterations = 50);

/// Minimises the same sum with slopes that the caller knows better than differences of all residuals would: few of
/// many, or taken elsewhere and kept (then it ends a little beside the minimum). Ends where an iteration gains less
/// than `least_gain` of the sum.
LeastSquares least_squares(const Residuals& residuals, const Slopes& slopes, const std::vector<Parameter>& parameters,
                           int most_iterations, double least_gain);

/// Linear least squares A x = b. Rows of A are `a`.
std::vector<double> linear_least_squares(const std::vector<std::vector<double>>& a, const std::vector<double>& b);

/// Moves the values to the nearest ones that do not fall, each counted by its weight (pool adjacent violators: Ayer et
/// al. 1955).
void never_falling(std::vector<double>& values, const std::vector<double>& weights);

/// x of A x = b for a symmetric positive definite A, given row by row (Cholesky).
std::vector<double> solve_symmetric(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace operator_models
