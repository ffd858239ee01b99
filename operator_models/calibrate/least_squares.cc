#include "operator_models/calibrate/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace operator_models {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Index index(size_t i) { return static_cast<Eigen::Index>(i); }

constexpr double kMostDamping = 1e12, kFirstDamping = 1e-3, kSmallStep = 1e-7, kSmallGain = 1e-9;

/// Residuals with the pulls as further rows.
class PulledProblem {
 public:
  PulledProblem(const Residuals& residuals, const std::vector<Parameter>& parameters, const Slopes* slopes = nullptr)
      : residuals_(residuals), parameters_(parameters), slopes_(slopes) {}

  VectorXd at(const std::vector<double>& x) {
    const std::vector<double> r = residuals_(x);
    rows = r.size();
    VectorXd out(index(r.size() + x.size()));
    for (size_t i = 0; i < r.size(); ++i) out[index(i)] = r[i];
    for (size_t j = 0; j < x.size(); ++j)
      out[index(r.size() + j)] =
          parameters_[j].pull > 0 ? std::log(x[j] / parameters_[j].start) / parameters_[j].pull : 0;
    return out;
  }

  MatrixXd slope(const std::vector<double>& x, const VectorXd& r) { return slopes_ ? given(x, r) : differences(x, r); }

  std::vector<double> clamped(const std::vector<double>& x, const VectorXd& step) const {
    std::vector<double> out = x;
    for (size_t i = 0; i < x.size(); ++i)
      out[i] = std::clamp(x[i] + step[index(i)], parameters_[i].least, parameters_[i].most);
    return out;
  }

  bool at_bound(const std::vector<double>& x, size_t i) const {
    return x[i] <= parameters_[i].least || x[i] >= parameters_[i].most;
  }
  /// At a bound, with a descent that leads out.
  bool pressed(const std::vector<double>& x, size_t i, double gradient) const {
    return (x[i] <= parameters_[i].least && gradient > 0) || (x[i] >= parameters_[i].most && gradient < 0);
  }

  size_t rows = 0;

 private:
  MatrixXd given(const std::vector<double>& x, const VectorXd& r) const {
    MatrixXd j = MatrixXd::Zero(r.size(), index(x.size()));
    for (const Slope& s : (*slopes_)(x)) j(index(s.residual), index(s.parameter)) = s.value;
    for (size_t i = 0; i < x.size(); ++i)
      if (parameters_[i].pull > 0) j(index(rows + i), index(i)) = 1 / (x[i] * parameters_[i].pull);
    return j;
  }

  /// Forward differences, backward at an upper bound.
  MatrixXd differences(const std::vector<double>& x, const VectorXd& r) {
    MatrixXd j(r.size(), index(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      double h = parameters_[i].step * std::max({std::abs(x[i]), 1e-3 * std::abs(parameters_[i].start), 1e-12});
      if (x[i] + h > parameters_[i].most) h = -h;
      std::vector<double> moved = x;
      moved[i] += h;
      j.col(index(i)) = (at(moved) - r) / h;
    }
    return j;
  }

  const Residuals& residuals_;
  const std::vector<Parameter>& parameters_;
  const Slopes* slopes_;
};

/// Takes a parameter out of the normal equations.
void fix(MatrixXd& normal, size_t i) {
  const auto at = index(i);
  normal.row(at).setZero();
  normal.col(at).setZero();
  normal(at, at) = 1;
}

/// (J^T J + damping * diag) step = -J^T r
VectorXd damped_step(const MatrixXd& normal, const VectorXd& gradient, double damping) {
  MatrixXd a = normal;
  for (Eigen::Index i = 0; i < a.rows(); ++i) a(i, i) += damping * std::max(normal(i, i), 1e-12);
  return a.ldlt().solve(-gradient);
}

struct DescentEnd {
  std::vector<double> x;
  VectorXd r;
  bool converged = false;
};

/// Normal equations at a point, without the parameters that a bound holds.
struct Normal {
  MatrixXd matrix;
  VectorXd gradient;
};
Normal normal_equations(PulledProblem& problem, const DescentEnd& end) {
  const MatrixXd j = problem.slope(end.x, end.r);
  Normal out{j.transpose() * j, j.transpose() * end.r};
  for (size_t i = 0; i < end.x.size(); ++i) {
    double& gradient = out.gradient[index(i)];
    if (!problem.pressed(end.x, i, gradient)) continue;
    fix(out.matrix, i);
    gradient = 0;
  }
  return out;
}

DescentEnd descend(PulledProblem& problem, std::vector<double> x, int most_iterations, double least_gain = kSmallGain) {
  DescentEnd end{std::move(x), {}, false};
  end.r = problem.at(end.x);
  double damping = kFirstDamping;
  for (int iteration = 0; iteration < most_iterations && !end.converged; ++iteration) {
    const Normal normal = normal_equations(problem, end);
    bool better = false;
    while (!better && damping < kMostDamping) {
      const VectorXd step = damped_step(normal.matrix, normal.gradient, damping);
      const std::vector<double> next = problem.clamped(end.x, step);
      const VectorXd r = problem.at(next);
      const double before = end.r.squaredNorm(), after = r.squaredNorm();
      better = std::isfinite(after) && after < before;
      damping = better ? damping / 3 : damping * 4;
      if (!better) continue;
      double moved = 0;
      for (size_t i = 0; i < next.size(); ++i)
        moved = std::max(moved, std::abs(next[i] - end.x[i]) / std::max(std::abs(end.x[i]), 1e-12));
      end.converged = moved < kSmallStep || before - after < least_gain * before;
      end.x = next;
      end.r = r;
    }
    if (!better) end.converged = true;
  }
  return end;
}

/// One standard error each, for residuals of standard error 1: the inverse curvature, of the parameters inside their
/// bounds.
std::vector<double> standard_errors(PulledProblem& problem, const DescentEnd& end) {
  const size_t n = end.x.size();
  const MatrixXd j = problem.slope(end.x, end.r);
  MatrixXd normal = j.transpose() * j;
  for (size_t i = 0; i < n; ++i)
    if (problem.at_bound(end.x, i)) fix(normal, i);
  const MatrixXd inverse = normal.completeOrthogonalDecomposition().pseudoInverse();
  std::vector<double> errors(n, 0);
  for (size_t i = 0; i < n; ++i)
    if (!problem.at_bound(end.x, i)) errors[i] = std::sqrt(std::max(0.0, inverse(index(i), index(i))));
  return errors;
}

LeastSquares result(PulledProblem& problem, DescentEnd end) {
  LeastSquares out;
  out.unit_errors = standard_errors(problem, end);
  const double freedom = std::max(1.0, static_cast<double>(problem.rows) - static_cast<double>(end.x.size()));
  for (double error : out.unit_errors) out.errors.push_back(error * std::sqrt(end.r.squaredNorm() / freedom));
  const auto rows = index(problem.rows);
  out.residual = rows > 0 ? std::sqrt(end.r.head(rows).squaredNorm() / static_cast<double>(rows)) : 0;
  out.converged = end.converged;
  out.values = std::move(end.x);
  return out;
}

std::vector<double> first_point(const std::vector<Parameter>& parameters) {
  std::vector<double> first;
  for (const Parameter& p : parameters) first.push_back(p.start);
  return first;
}

}  // namespace

LeastSquares least_squares(const Residuals& residuals, const std::vector<Parameter>& parameters,
                           const std::vector<std::vector<double>>& starts, int most_iterations) {
  PulledProblem problem(residuals, parameters);
  DescentEnd best = descend(problem, first_point(parameters), most_iterations);
  for (const std::vector<double>& start : starts) {
    DescentEnd end = descend(problem, problem.clamped(start, VectorXd::Zero(index(start.size()))), most_iterations);
    if (end.r.squaredNorm() < best.r.squaredNorm()) best = std::move(end);
  }
  return result(problem, std::move(best));
}

LeastSquares least_squares(const Residuals& residuals, const Slopes& slopes, const std::vector<Parameter>& parameters,
                           int most_iterations, double least_gain) {
  PulledProblem problem(residuals, parameters, &slopes);
  return result(problem, descend(problem, first_point(parameters), most_iterations, least_gain));
}

std::vector<double> linear_least_squares(const std::vector<std::vector<double>>& a, const std::vector<double>& b) {
  const size_t n = a.empty() ? 0 : a[0].size();
  if (n == 0) return {};
  MatrixXd m(index(a.size()), index(n));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < n; ++j) m(index(i), index(j)) = a[i][j];
  const VectorXd x = m.colPivHouseholderQr().solve(Eigen::Map<const VectorXd>(b.data(), index(b.size())));
  return {x.data(), x.data() + n};
}

void never_falling(std::vector<double>& values, const std::vector<double>& weights) {
  struct ValuePool {
    double sum = 0, weight = 0;
    size_t count = 0;
    double mean() const { return sum / weight; }
  };
  std::vector<ValuePool> pools;
  for (size_t i = 0; i < values.size(); ++i) {
    pools.push_back({values[i] * weights[i], weights[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const ValuePool last = pools.back();
      pools.pop_back();
      pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight, pools.back().count + last.count};
    }
  }
  size_t at = 0;
  for (const ValuePool& p : pools)
    for (size_t i = 0; i < p.count; ++i) values[at++] = p.mean();
}

std::vector<double> solve_symmetric(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = index(b.size());
  const Eigen::Map<const MatrixXd> matrix(a.data(), n, n);
  const Eigen::Map<const VectorXd> right(b.data(), n);
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factors(matrix.sparseView());
  const VectorXd x = factors.solve(right);
  return {x.data(), x.data() + n};
}

}  // namespace operator_models
