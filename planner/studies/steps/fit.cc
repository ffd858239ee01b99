#include "planner/studies/steps/fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "planner/studies/steps/solve.h"

namespace planner {
namespace {

using operator_models::LeastSquares;

constexpr double kMostSay = 0.8;  // share of what the rows say, for the groups that are named

using Ratios = std::vector<LogRatios>;

/// What is left out together: a group, or a row where all are of one group.
std::vector<std::vector<size_t>> folds_of(const std::vector<MeasuredRun>& rows) {
  std::vector<std::vector<size_t>> folds;
  std::map<std::string, size_t> index;
  for (size_t row = 0; row < rows.size(); ++row) {
    const auto [at, fresh] = index.emplace(rows[row].group, folds.size());
    if (fresh) folds.emplace_back();
    folds[at->second].push_back(row);
  }
  if (folds.size() != 1) return folds;
  folds.clear();
  for (size_t row = 0; row < rows.size(); ++row) folds.push_back({row});
  return folds;
}

Ratios ratios_of(const StepProblem& problem) {
  Ratios out;
  for (size_t row = 0; row < problem.rows().size(); ++row) out.push_back(problem.log_ratios(row));
  return out;
}

class Fitter {
 public:
  Fitter(const StepProblem& problem, std::vector<RowWeight> weights, std::vector<size_t> chosen)
      : problem_(problem),
        weights_(std::move(weights)),
        chosen_(std::move(chosen)),
        solver_(problem, weights_),
        u_(problem.instances().size(), 0),
        unit_errors_(problem.instances().size(), 0) {}

  /// From the shipped profile. Returns whether every component converged.
  bool fit(const std::vector<RowSlope>& shipped_slopes) {
    const std::vector<char> none(problem_.rows().size(), 0);
    components_ = components(problem_, chosen_, shipped_slopes);
    bool converged = true;
    for (const Component& c : components_) {
      const LeastSquares found = solver_.solve(c, u_, nullptr, none);
      converged = converged && found.converged;
      // Residuals larger than the noise widen the errors; smaller ones of few rows do not narrow them.
      const double widening = std::max(1.0, chi(c));
      for (size_t j = 0; j < c.instances.size(); ++j) unit_errors_[c.instances[j]] = found.unit_errors[j] * widening;
    }
    slopes_ = problem_.slopes(chosen_, u_, std::vector<char>(problem_.rows().size(), 1));
    return converged;
  }

  /// Log ratios of each row when its fold was left out.
  Ratios left_out(const Ratios& fitted) const {
    Ratios out = fitted;
    for (const std::vector<size_t>& fold : folds_of(problem_.rows())) {
      std::vector<char> without(problem_.rows().size(), 0);
      for (size_t row : fold) without[row] = 1;
      for (const Component& c : components_) leave_out(c, without, out);
    }
    return out;
  }

  FittedNumber number(size_t i) const {
    const Instance& instance = problem_.instances()[i];
    const FitParameter& p = *instance.parameter;
    FittedNumber out{.owner = p.owner,
                     .owner_name = instance.owner,
                     .path = instance.path,
                     .dim = instance.number.dim,
                     .shipped = instance.shipped,
                     .fitted = instance.value_at(u_[i]),
                     .groups = {}};
    out.at_bound = u_[i] <= instance.least_u() || u_[i] >= instance.most_u();
    out.error = unit_errors_[i] * p.error * (p.pull == Pull::ratio ? out.fitted : 1);
    out.moved = std::fabs(out.fitted - out.shipped) > out.error;
    tell_groups(i, out);
    return out;
  }

 private:
  double chi(const Component& c) const {
    double sum = 0, count = 0;
    for (size_t row : c.rows) {
      const LogRatios r = problem_.log_ratios(row);
      const RowWeight& w = weights_[row];
      sum += std::pow(w.time * huber(r.time / kNoise), 2) + std::pow(w.memory * huber(r.memory / kNoise), 2);
      count += w.time * w.time + w.memory * w.memory;
    }
    return count > 0 ? std::sqrt(sum / count) : 0;
  }

  void leave_out(const Component& c, const std::vector<char>& without, Ratios& out) const {
    const auto left = [&](size_t row) { return without[row] != 0; };
    if (std::none_of(c.rows.begin(), c.rows.end(), left)) return;
    std::vector<double> u = u_;
    solver_.solve(c, u, &slopes_, without);
    for (size_t row : c.rows)
      if (left(row)) out[row] = problem_.log_ratios(row);
    for (size_t i : c.instances) problem_.instances()[i].set(u_[i]);
  }

  void tell_groups(size_t i, FittedNumber& out) const {
    std::map<std::string, double> say;
    double all = 0;
    for (const RowSlope& s : slopes_) {
      if (s.instance != i) continue;
      const double felt =
          std::pow(weights_[s.row].time * s.slope.time, 2) + std::pow(weights_[s.row].memory * s.slope.memory, 2);
      ++out.rows;
      say[problem_.rows()[s.row].group] += felt;
      all += felt;
    }
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [group, felt] : say) order.emplace_back(-felt, group);
    std::sort(order.begin(), order.end());
    double said = 0;
    for (size_t k = 0; k < order.size() && said < kMostSay * all; ++k) {
      said -= order[k].first;
      out.groups.push_back(order[k].second);
    }
  }

  const StepProblem& problem_;
  std::vector<RowWeight> weights_;
  std::vector<size_t> chosen_;
  Solver solver_;
  std::vector<double> u_, unit_errors_;
  std::vector<Component> components_;
  std::vector<RowSlope> slopes_;
};

/// The ratios of what was measured in some rows.
std::vector<double> picked(const StepProblem& problem, const Ratios& ratios, bool memory, const std::string* group) {
  std::vector<double> out;
  for (size_t row = 0; row < ratios.size(); ++row) {
    const MeasuredRun& run = problem.rows()[row];
    if (group && run.group != *group) continue;
    if (memory ? run.measured.memory_kind != MemoryKind::none : run.measured.seconds.has_value())
      out.push_back(memory ? ratios[row].memory : ratios[row].time);
  }
  return out;
}

std::vector<std::string> group_names(const StepProblem& problem) {
  std::vector<std::string> out;
  for (const MeasuredRun& run : problem.rows())
    if (std::find(out.begin(), out.end(), run.group) == out.end()) out.push_back(run.group);
  return out;
}

void tell_errors(const StepProblem& problem, const Ratios& before, const Ratios& after, const Ratios& left_out,
                 StepsFit& out) {
  auto errors = [&](const Ratios& ratios, bool memory, const std::string* group = nullptr) {
    return operator_models::errors_of(picked(problem, ratios, memory, group));
  };
  for (bool memory : {false, true})
    for (const std::string& group : group_names(problem)) {
      GroupResult result{group, memory, errors(before, memory, &group), errors(after, memory, &group),
                         errors(left_out, memory, &group)};
      if (result.before.rows > 0) out.groups.push_back(std::move(result));
    }
  out.before = errors(before, false), out.after = errors(after, false), out.left_out = errors(left_out, false);
  out.memory_before = errors(before, true), out.memory_after = errors(after, true);
  out.memory_left_out = errors(left_out, true);
}

std::vector<size_t> all_of(const StepProblem& problem) {
  std::vector<size_t> out(problem.instances().size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

}  // namespace

StepsFit fit_steps(StepProblem& problem, const std::vector<std::string>& only, dsl::Diagnostics& diagnostics) {
  StepsFit out;
  const std::vector<RowWeight> weights = row_weights(problem.rows());
  const std::vector<double> shipped(problem.instances().size(), 0);
  const std::vector<RowSlope> slopes =
      problem.slopes(all_of(problem), shipped, std::vector<char>(problem.rows().size(), 1));
  out.choice = choose(problem, slopes, weights, only, diagnostics);
  if (diagnostics.has_errors()) return out;
  out.counts = owner_counts(problem, out.choice.instances);
  const Ratios before = ratios_of(problem);
  Fitter fitter(problem, weights, out.choice.instances);
  out.converged = fitter.fit(slopes);
  for (size_t i : out.choice.instances) out.numbers.push_back(fitter.number(i));
  const Ratios after = ratios_of(problem);
  tell_errors(problem, before, after, fitter.left_out(after), out);
  return out;
}

}  // namespace planner
