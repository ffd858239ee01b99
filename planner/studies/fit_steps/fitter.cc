#include "planner/studies/fit_steps/fitter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace planner {
namespace {

using operator_models::LeastSquares;

constexpr double kHardly = 0.3;                     // standard errors
constexpr double kLeastMove = std::numbers::sqrt2;  // the same. Akaike 1974: a number is worth 2 of -2 ln(likelihood)
constexpr double kMostSay = 0.8;                    // share of what the rows say, for the groups that are named

/// Rows left out together: a group, or a single row if all are of one group.
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

}  // namespace

Fitter::Fitter(const StepProblem& problem, std::vector<RowWeight> weights, std::vector<size_t> chosen)
    : problem_(problem),
      weights_(std::move(weights)),
      chosen_(std::move(chosen)),
      solver_(problem, weights_),
      u_(problem.instances().size(), 0),
      unit_errors_(problem.instances().size(), 0),
      kept_(problem.instances().size(), 0) {
  for (size_t i : chosen_) kept_[i] = 1;
}

bool Fitter::fit(const std::vector<RowSlope>& shipped_slopes, bool selects) {
  components_ = components(problem_, chosen_, shipped_slopes);
  bool converged = true;
  for (Component& c : components_) {
    const bool first = solve(c, nullptr);
    if (selects) put_back(c);
    converged = converged && (c.instances.empty() || (selects ? solve(c, nullptr) : first));
  }
  std::erase_if(chosen_, [&](size_t i) { return !keeps(i); });
  slopes_ = slopes_here(chosen_);
  return converged;
}

std::vector<RowSlope> Fitter::slopes_here(const std::vector<size_t>& instances) const {
  return problem_.slopes(instances, u_, std::vector<char>(problem_.rows().size(), 1));
}

bool Fitter::solve(const Component& c, const std::vector<RowSlope>* slopes) {
  const LeastSquares found = solver_.solve(c, u_, slopes, std::vector<char>(problem_.rows().size(), 0));
  // Residuals larger than the noise widen the errors; smaller ones of few rows do not narrow them.
  const double widening = std::max(1.0, chi(c));
  for (size_t j = 0; j < c.instances.size(); ++j) unit_errors_[c.instances[j]] = found.unit_errors[j] * widening;
  return found.converged;
}

void Fitter::put_back(Component& c) {
  const std::vector<RowSlope> slopes = slopes_here(c.instances);
  auto distance = [&](size_t i) {  // in standard errors; of a bound, which has none, in the prior's
    return std::fabs(u_[i]) / (unit_errors_[i] > 0 ? unit_errors_[i] : 1);
  };
  while (!c.instances.empty()) {
    double least = distance(c.instances[0]);
    for (size_t i : c.instances) least = std::min(least, distance(i));
    if (least >= kLeastMove) return;
    // One by one, as what two numbers share goes to the one that stays; those that hardly moved together.
    const double most = std::max(least, kHardly);
    std::erase_if(c.instances, [&](size_t i) {
      if (distance(i) > most) return false;
      u_[i] = 0;
      kept_[i] = 0;
      problem_.instances()[i].set(0);
      return true;
    });
    if (!c.instances.empty()) solve(c, &slopes);
  }
}

Ratios Fitter::left_out(const Ratios& fitted) const {
  Ratios out = fitted;
  for (const std::vector<size_t>& fold : folds_of(problem_.rows())) {
    std::vector<char> without(problem_.rows().size(), 0);
    for (size_t row : fold) without[row] = 1;
    for (const Component& c : components_) leave_out(c, without, out);
  }
  return out;
}

FittedNumber Fitter::number(size_t i) const {
  const Instance& instance = problem_.instances()[i];
  const FitParameter& p = *instance.parameter;
  FittedNumber out{.owner = p.owner,
                   .owner_name = instance.owner,
                   .path = instance.path,
                   .paths = instance.paths,
                   .dim = instance.number.dim,
                   .shipped = instance.shipped,
                   .fitted = instance.value_at(u_[i])};
  out.at_bound = u_[i] <= instance.least_u() || u_[i] >= instance.most_u();
  out.error = unit_errors_[i] * p.error * (p.pull == PriorPull::ratio ? out.fitted : 1);
  out.moved = std::fabs(out.fitted - out.shipped) > out.error;
  out.pulls = std::fabs(u_[i]);
  tell_groups(i, out);
  return out;
}

double Fitter::chi(const Component& c) const {
  double sum = 0, count = 0;
  for (size_t row : c.rows) {
    const LogRatios r = problem_.log_ratios(row);
    const RowWeight& w = weights_[row];
    sum += std::pow(w.time * huber(r.time / kNoise), 2) + std::pow(w.memory * huber(r.memory / kNoise), 2);
    count += w.time * w.time + w.memory * w.memory;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

void Fitter::leave_out(const Component& c, const std::vector<char>& without, Ratios& out) const {
  const auto left = [&](size_t row) { return without[row] != 0; };
  if (c.instances.empty() || std::none_of(c.rows.begin(), c.rows.end(), left)) return;
  std::vector<double> u = u_;
  solver_.solve(c, u, &slopes_, without);
  for (size_t i : c.instances)
    if (is_orphan(i, without)) problem_.instances()[i].set(mean_of_kind(i, without));
  for (size_t row : c.rows)
    if (left(row)) out[row] = problem_.log_ratios(row);
  for (size_t i : c.instances) problem_.instances()[i].set(u_[i]);
}

bool Fitter::is_orphan(size_t i, const std::vector<char>& without) const {
  return std::ranges::all_of(problem_.instances()[i].rows,
                             [&](const Instance::OwnerRow& in) { return without[in.row] != 0; });
}

double Fitter::mean_of_kind(size_t i, const std::vector<char>& without) const {
  const FitParameter* kind = problem_.instances()[i].parameter;
  if (kind->memory) return 0;  // what one allocator loses says nothing of another
  double sum = 0, weight = 1;  // of the prior, whose mean is 0
  for (const size_t j : chosen_) {
    if (problem_.instances()[j].parameter != kind || is_orphan(j, without)) continue;
    const double each = 1 / (1 + unit_errors_[j] * unit_errors_[j]);
    sum += each * u_[j];
    weight += each;
  }
  return sum / weight;
}

void Fitter::tell_groups(size_t i, FittedNumber& out) const {
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

}  // namespace planner
