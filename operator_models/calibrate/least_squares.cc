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

constexpr double kMostDamping = 1e12, kFirstDamping = 1e-3, kSmallStep = 1e-7, kSmallGain = 1e-9;

/// Residuals with the pulls as further rows.
class Problem {
 public:
  Problem(const Residuals& residuals, const std::vector<Parameter>& parameters, const Slopes* slopes = nullptr)
      : residuals_(residuals), parameters_(parameters), slopes_(slopes) {}

  VectorXd at(const std::vector<double>& x) {
    ++evaluations;
    const std::vector<double> r = residuals_(x);
    rows = r.size();
    VectorXd out(static_cast<Eigen::Index>(r.size() + x.size()));
    for (size_t i = 0; i < r.size(); ++i) out[static_cast<Eigen::Index>(i)] = r[i];
    for (size_t j = 0; j < x.size(); ++j)
      out[static_cast<Eigen::Index>(r.size() + j)] =
          parameters_[j].pull > 0 ? std::log(x[j] / parameters_[j].start) / parameters_[j].pull : 0;
    return out;
  }

  MatrixXd slope(const std::vector<double>& x, const VectorXd& r) { return slopes_ ? given(x, r) : differences(x, r); }

  std::vector<double> clamped(const std::vector<double>& x, const VectorXd& step) const {
    std::vector<double> out = x;
    for (size_t i = 0; i < x.size(); ++i)
      out[i] = std::clamp(x[i] + step[static_cast<Eigen::Index>(i)], parameters_[i].least, parameters_[i].most);
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
  int evaluations = 0;

 private:
  MatrixXd given(const std::vector<double>& x, const VectorXd& r) const {
    MatrixXd j = MatrixXd::Zero(r.size(), static_cast<Eigen::Index>(x.size()));
    for (const Slope& s : (*slopes_)(x))
      j(static_cast<Eigen::Index>(s.residual), static_cast<Eigen::Index>(s.parameter)) = s.value;
    for (size_t i = 0; i < x.size(); ++i)
      if (parameters_[i].pull > 0)
        j(static_cast<Eigen::Index>(rows + i), static_cast<Eigen::Index>(i)) = 1 / (x[i] * parameters_[i].pull);
    return j;
  }

  /// Forward differences, backward at an upper bound.
  MatrixXd differences(const std::vector<double>& x, const VectorXd& r) {
    MatrixXd j(r.size(), static_cast<Eigen::Index>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      double h = parameters_[i].step * std::max({std::abs(x[i]), 1e-3 * std::abs(parameters_[i].start), 1e-12});
      if (x[i] + h > parameters_[i].most) h = -h;
      std::vector<double> moved = x;
      moved[i] += h;
      j.col(static_cast<Eigen::Index>(i)) = (at(moved) - r) / h;
    }
    return j;
  }

  const Residuals& residuals_;
  const std::vector<Parameter>& parameters_;
  const Slopes* slopes_;
};

/// Takes a parameter out of the normal equations.
void fix(MatrixXd& normal, size_t i) {
  const auto at = static_cast<Eigen::Index>(i);
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

struct End {
  std::vector<double> x;
  VectorXd r;
  bool converged = false;
};

/// Normal equations at a point, without the parameters that a bound holds.
struct Normal {
  MatrixXd matrix;
  VectorXd gradient;
};
Normal normal_equations(Problem& problem, const End& end) {
  const MatrixXd j = problem.slope(end.x, end.r);
  Normal out{j.transpose() * j, j.transpose() * end.r};
  for (size_t i = 0; i < end.x.size(); ++i) {
    double& gradient = out.gradient[static_cast<Eigen::Index>(i)];
    if (!problem.pressed(end.x, i, gradient)) continue;
    fix(out.matrix, i);
    gradient = 0;
  }
  return out;
}

End descend(Problem& problem, std::vector<double> x, int most_iterations, double least_gain = kSmallGain) {
  End end{std::move(x), {}, false};
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
std::vector<double> standard_errors(Problem& problem, const End& end) {
  const size_t n = end.x.size();
  const MatrixXd j = problem.slope(end.x, end.r);
  MatrixXd normal = j.transpose() * j;
  for (size_t i = 0; i < n; ++i)
    if (problem.at_bound(end.x, i)) fix(normal, i);
  const MatrixXd inverse = normal.completeOrthogonalDecomposition().pseudoInverse();
  std::vector<double> errors(n, 0);
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    if (!problem.at_bound(end.x, i)) errors[i] = std::sqrt(std::max(0.0, inverse(at, at)));
  }
  return errors;
}

LeastSquares result(Problem& problem, End end) {
  LeastSquares out;
  out.unit_errors = standard_errors(problem, end);
  const double freedom = std::max(1.0, static_cast<double>(problem.rows) - static_cast<double>(end.x.size()));
  for (double error : out.unit_errors) out.errors.push_back(error * std::sqrt(end.r.squaredNorm() / freedom));
  const auto rows = static_cast<Eigen::Index>(problem.rows);
  out.residual = rows > 0 ? std::sqrt(end.r.head(rows).squaredNorm() / static_cast<double>(rows)) : 0;
  out.evaluations = problem.evaluations;
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
  Problem problem(residuals, parameters);
  End best = descend(problem, first_point(parameters), most_iterations);
  for (const std::vector<double>& start : starts) {
    End end = descend(problem, problem.clamped(start, VectorXd::Zero(static_cast<Eigen::Index>(start.size()))),
                      most_iterations);
    if (end.r.squaredNorm() < best.r.squaredNorm()) best = std::move(end);
  }
  return result(problem, std::move(best));
}

LeastSquares least_squares(const Residuals& residuals, const Slopes& slopes, const std::vector<Parameter>& parameters,
                           int most_iterations, double least_gain) {
  Problem problem(residuals, parameters, &slopes);
  return result(problem, descend(problem, first_point(parameters), most_iterations, least_gain));
}

std::vector<double> linear_least_squares(const std::vector<std::vector<double>>& a, const std::vector<double>& b,
                                         bool nonnegative) {
  const size_t n = a.empty() ? 0 : a[0].size();
  std::vector<bool> free(n, true);
  std::vector<double> x(n, 0);
  for (;;) {
    std::vector<size_t> columns;
    for (size_t j = 0; j < n; ++j)
      if (free[j]) columns.push_back(j);
    if (columns.empty()) return std::vector<double>(n, 0);
    MatrixXd m(static_cast<Eigen::Index>(a.size()), static_cast<Eigen::Index>(columns.size()));
    VectorXd v(static_cast<Eigen::Index>(b.size()));
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = 0; j < columns.size(); ++j)
        m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = a[i][columns[j]];
      v[static_cast<Eigen::Index>(i)] = b[i];
    }
    const VectorXd s = m.colPivHouseholderQr().solve(v);
    x.assign(n, 0);
    size_t most_negative = n;
    for (size_t j = 0; j < columns.size(); ++j) {
      x[columns[j]] = s[static_cast<Eigen::Index>(j)];
      if (x[columns[j]] < 0 && (most_negative == n || x[columns[j]] < x[most_negative])) most_negative = columns[j];
    }
    if (!nonnegative || most_negative == n) return x;
    free[most_negative] = false;
  }
}

std::vector<double> solve_symmetric(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<Eigen::Index>(b.size());
  const Eigen::Map<const MatrixXd> matrix(a.data(), n, n);
  const Eigen::Map<const VectorXd> right(b.data(), n);
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factors(matrix.sparseView());
  const VectorXd x = factors.solve(right);
  return {x.data(), x.data() + n};
}

}  // namespace operator_models
