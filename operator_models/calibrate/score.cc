#include "operator_models/calibrate/score.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace operator_models {
namespace {

/// The value below which a share of the sorted list lies, between neighbours where it falls between.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * real(sorted.size() - 1);
  const size_t below = static_cast<size_t>(at), above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - real(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Errors errors_of(const std::vector<double>& logs) {
  Errors e{.rows = static_cast<int64_t>(logs.size())};
  if (logs.empty()) return e;
  double absolute = 0, sum = 0, squares = 0;
  std::vector<double> errors;
  for (double x : logs) {
    absolute += std::abs(x);
    sum += x;
    squares += x * x;
    errors.push_back(std::abs(std::expm1(x)));
  }
  std::sort(errors.begin(), errors.end());
  const double n = real(logs.size());
  e.geomean = std::expm1(absolute / n);
  e.median = quantile(errors, 0.5);
  e.p90 = quantile(errors, 0.9);
  e.bias = std::expm1(sum / n);
  e.residual = std::sqrt(squares / n);
  return e;
}

std::vector<double> predicted(const SampleSet& set, const Device& device, const ModelChoice& choice) {
  std::vector<double> seconds;
  seconds.reserve(set.samples.size());
  for (const Sample& s : set.samples) seconds.push_back(cost(s.op, device, choice).seconds.value);
  return seconds;
}

std::vector<double> log_ratios(const SampleSet& set, const Device& device, const ModelChoice& choice) {
  const std::vector<double> seconds = predicted(set, device, choice);
  std::vector<double> logs;
  for (size_t i = 0; i < seconds.size(); ++i)
    if (set.samples[i].counted) logs.push_back(std::log(seconds[i] / set.samples[i].seconds));
  return logs;
}

std::vector<GroupErrors> errors_by_group(const SampleSet& set, const Device& device, const ModelChoice& choice) {
  constexpr size_t kMostValues = 12;
  const std::vector<double> seconds = predicted(set, device, choice);
  std::vector<GroupErrors> groups;
  for (size_t d = 0; d < set.dimensions.size(); ++d) {
    std::map<std::string, std::vector<double>> logs;
    for (size_t i = 0; i < seconds.size(); ++i)
      if (set.samples[i].counted)
        logs[set.samples[i].values[d]].push_back(std::log(seconds[i] / set.samples[i].seconds));
    if (logs.size() < 2 || logs.size() > kMostValues) continue;
    for (const auto& [value, list] : logs) groups.push_back({set.dimensions[d] + " = " + value, errors_of(list)});
  }
  return groups;
}

}  // namespace operator_models
