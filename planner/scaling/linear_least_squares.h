// Linear least squares of a few columns: the coefficients of a model with given terms, and their uncertainty.
#pragma once

#include <span>
#include <vector>

#include "planner/scaling/terms.h"

namespace planner::scaling {

/// The factors of a model's coefficients: ones, then each term at each point.
struct TermColumns {
  size_t rows = 0, count = 0;
  std::vector<double> cells;  // column after column
  std::span<double> column(size_t j) { return std::span(cells).subspan(j * rows, rows); }
  std::span<const double> column(size_t j) const { return std::span(cells).subspan(j * rows, rows); }
};

/// Returns the columns of a model. `points` holds the coordinates of each point, one per parameter.
TermColumns columns_of(const Pmnf& model, std::span<const std::vector<double>> points);

/// Factors A = Q R by Householder reflections, with the columns scaled to length 1 before: a term of size 1e15 does not
/// hide the constant 1.
class LinearLeastSquares {
 public:
  explicit LinearLeastSquares(TermColumns columns);

  /// Returns whether no column follows from the others (within rounding), and there are at least as many points as
  /// columns.
  bool full_rank() const;

  /// Returns the c that makes |A c - values| least. REQUIRES: full_rank(); one value per row.
  std::vector<double> solve(std::span<const double> values) const;

  /// Returns x^T (A^T A)^-1 x, the variance of the fit at `x` in units of the residual variance. REQUIRES: full_rank();
  /// `x` has one entry per column.
  double leverage(std::span<const double> x) const;

 private:
  void reflect(size_t j);
  double r(size_t i, size_t j) const { return i == j ? diagonal_[j] : a_.column(j)[i]; }

  TermColumns a_;  // the reflections' vectors on and below the diagonal, R above it
  std::vector<double> diagonal_, scale_;
};

}  // namespace planner::scaling
