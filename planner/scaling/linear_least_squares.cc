#include "planner/scaling/linear_least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace planner::scaling {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// x -= v (v^T x) 2 / v^T v.
void mirror(std::span<double> x, std::span<const double> v) {
  const double square = dot(v, v);
  if (square == 0) return;
  const double factor = 2 * dot(v, x) / square;
  for (size_t i = 0; i < x.size(); ++i) x[i] -= factor * v[i];
}

}  // namespace

TermColumns columns_of(const Pmnf& model, std::span<const std::vector<double>> points) {
  TermColumns columns{points.size(), model.terms.size() + 1, std::vector<double>(points.size(), 1.0)};
  for (const Term& term : model.terms)
    for (const std::vector<double>& point : points) columns.cells.push_back(term.basis(point));
  return columns;
}

LinearLeastSquares::LinearLeastSquares(TermColumns columns)
    : a_(std::move(columns)), diagonal_(a_.count), scale_(a_.count) {
  for (size_t j = 0; j < a_.count; ++j) {
    const auto column = a_.column(j);
    scale_[j] = std::sqrt(dot(column, column));
    for (double& cell : column) cell /= scale_[j];
  }
  for (size_t j = 0; j < std::min(a_.count, a_.rows); ++j) reflect(j);
}

void LinearLeastSquares::reflect(size_t j) {
  const auto v = a_.column(j).subspan(j);
  const double length = std::sqrt(dot(v, v));
  diagonal_[j] = v[0] > 0 ? -length : length;
  v[0] -= diagonal_[j];
  for (size_t k = j + 1; k < a_.count; ++k) mirror(a_.column(k).subspan(j), v);
}

bool LinearLeastSquares::full_rank() const {
  if (a_.rows < a_.count) return false;
  const double least = std::numeric_limits<double>::epsilon() * static_cast<double>(a_.rows);
  for (const double d : diagonal_)
    if (!(std::abs(d) > least)) return false;
  return true;
}

std::vector<double> LinearLeastSquares::solve(std::span<const double> values) const {
  std::vector<double> x(values.begin(), values.end());
  for (size_t j = 0; j < a_.count; ++j) mirror(std::span(x).subspan(j), a_.column(j).subspan(j));
  x.resize(a_.count);
  for (size_t i = a_.count; i-- > 0;) {
    for (size_t j = i + 1; j < a_.count; ++j) x[i] -= r(i, j) * x[j];
    x[i] /= diagonal_[i];
  }
  for (size_t j = 0; j < a_.count; ++j) x[j] /= scale_[j];
  return x;
}

double LinearLeastSquares::leverage(std::span<const double> x) const {
  std::vector<double> z(a_.count);  // R^T z = x, scaled
  double sum = 0;
  for (size_t j = 0; j < a_.count; ++j) {
    z[j] = x[j] / scale_[j];
    for (size_t i = 0; i < j; ++i) z[j] -= r(i, j) * z[i];
    z[j] /= diagonal_[j];
    sum += z[j] * z[j];
  }
  return sum;
}

}  // namespace planner::scaling
