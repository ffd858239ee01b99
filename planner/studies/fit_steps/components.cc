#include "planner/studies/fit_steps/components.h"

#include <algorithm>
#include <numeric>

namespace planner {
namespace {

using operator_models::LeastSquares;
using operator_models::Parameter;
using operator_models::Slope;

constexpr int kMostIterations = 30, kMostKept = 8;
constexpr double kLeastGain = 1e-5;

/// Union of sets, by their smallest member.
class Sets {
 public:
  explicit Sets(size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t find(size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  void join(size_t a, size_t b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

/// Residuals of a component: two of each row (time, memory), then the pulls.
class Residuals {
 public:
  Residuals(const StepProblem& problem, const std::vector<RowWeight>& weights, const Component& component,
            const std::vector<char>& without)
      : problem_(problem), component_(component), index_(problem.rows().size(), 0) {
    for (size_t row : component.rows) {
      if (without[row]) continue;
      index_[row] = rows_.size();
      rows_.push_back(row);
      weights_.push_back(weights[row]);
    }
  }

  void set(const std::vector<double>& x) const {
    for (size_t j = 0; j < x.size(); ++j) problem_.instances()[component_.instances[j]].set(x[j]);
  }

  std::vector<double> at(const std::vector<double>& x) {
    set(x);
    last_ = x;
    std::vector<double> out;
    ratios_.clear();
    for (size_t k = 0; k < rows_.size(); ++k) {
      ratios_.push_back(problem_.log_ratios(rows_[k]));
      out.push_back(weights_[k].time * huber(ratios_[k].time / kNoise));
      out.push_back(weights_[k].memory * huber(ratios_[k].memory / kNoise));
    }
    out.insert(out.end(), x.begin(), x.end());
    return out;
  }

  std::vector<Slope> chained(const std::vector<RowSlope>& slopes, const std::vector<double>& x,
                             const std::vector<size_t>& column) {
    if (x != last_) at(x);
    std::vector<Slope> out;
    for (const RowSlope& s : slopes) {
      const size_t k = index_[s.row];
      if (k >= rows_.size() || rows_[k] != s.row || column[s.instance] >= x.size()) continue;
      const size_t j = column[s.instance];
      out.push_back({2 * k, j, weights_[k].time * huber_slope(ratios_[k].time / kNoise) * s.slope.time / kNoise});
      out.push_back(
          {2 * k + 1, j, weights_[k].memory * huber_slope(ratios_[k].memory / kNoise) * s.slope.memory / kNoise});
    }
    for (size_t j = 0; j < x.size(); ++j) out.push_back({2 * rows_.size() + j, j, 1});
    return out;
  }

  std::vector<char> wanted() const {
    std::vector<char> out(problem_.rows().size(), 0);
    for (size_t row : rows_) out[row] = 1;
    return out;
  }

 private:
  const StepProblem& problem_;
  const Component& component_;
  std::vector<size_t> index_, rows_;
  std::vector<RowWeight> weights_;
  std::vector<double> last_;  // where `at` was last evaluated
  std::vector<LogRatios> ratios_;
};

}  // namespace

std::vector<Component> components(const StepProblem& problem, const std::vector<size_t>& instances,
                                  const std::vector<RowSlope>& slopes) {
  const size_t rows = problem.rows().size();
  Sets sets(rows + problem.instances().size());  // rows, then instances
  std::vector<char> wanted(problem.instances().size(), 0), touched(rows, 0);
  for (size_t i : instances) wanted[i] = 1;
  for (const RowSlope& s : slopes) {
    if (!wanted[s.instance]) continue;
    sets.join(s.row, rows + s.instance);
    touched[s.row] = 1;
  }
  std::vector<Component> out;
  std::vector<size_t> roots;
  for (size_t i : instances) {
    const size_t root = sets.find(rows + i);
    const auto at = static_cast<size_t>(std::find(roots.begin(), roots.end(), root) - roots.begin());
    if (at == roots.size()) roots.push_back(root), out.emplace_back();
    out[at].instances.push_back(i);
  }
  for (size_t row = 0; row < rows; ++row)
    for (size_t at = 0; at < roots.size(); ++at)
      if (touched[row] && sets.find(row) == roots[at]) out[at].rows.push_back(row);
  return out;
}

LeastSquares ComponentSolver::solve(const Component& component, std::vector<double>& u,
                                    const std::vector<RowSlope>* kept, const std::vector<char>& without) const {
  Residuals residuals(problem_, weights_, component, without);
  std::vector<Parameter> parameters;
  std::vector<size_t> column(problem_.instances().size(), component.instances.size());
  for (size_t j = 0; j < component.instances.size(); ++j) {
    const Instance& instance = problem_.instances()[component.instances[j]];
    parameters.push_back({.start = u[component.instances[j]], .least = instance.least_u(), .most = instance.most_u()});
    column[component.instances[j]] = j;
  }
  auto slopes = [&](const std::vector<double>& x) {
    if (kept) return residuals.chained(*kept, x, column);
    residuals.set(x);
    for (size_t j = 0; j < x.size(); ++j) u[component.instances[j]] = x[j];
    return residuals.chained(problem_.slopes(component.instances, u, residuals.wanted()), x, column);
  };
  LeastSquares found =
      operator_models::least_squares([&](const std::vector<double>& x) { return residuals.at(x); }, slopes, parameters,
                                     kept ? kMostKept : kMostIterations, kLeastGain);
  for (size_t j = 0; j < found.values.size(); ++j) u[component.instances[j]] = found.values[j];
  residuals.set(found.values);
  return found;
}

}  // namespace planner
