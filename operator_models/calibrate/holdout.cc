#include "operator_models/calibrate/holdout.h"

#include <algorithm>
#include <set>

namespace operator_models {
namespace {

/// Numbers by size, then texts by letter.
bool before(const std::string& a, const std::string& b) {
  const auto x = dsl::cell_number(a), y = dsl::cell_number(b);
  if (x && y) return *x < *y;
  return x.has_value() != y.has_value() ? x.has_value() : a < b;
}

std::vector<std::vector<std::string>> folds_of(const SampleSet& set, size_t dimension, size_t most_folds) {
  std::set<std::string> seen;
  for (const Sample& s : set.samples) seen.insert(s.values[dimension]);
  std::vector<std::string> values(seen.begin(), seen.end());
  std::sort(values.begin(), values.end(), before);
  if (values.size() < 2) return {};
  std::vector<std::vector<std::string>> folds(std::min(values.size(), most_folds));
  for (size_t i = 0; i < values.size(); ++i) folds[i % folds.size()].push_back(values[i]);
  return folds;
}

std::string label(const std::string& dimension, const std::vector<std::string>& values) {
  std::string text = dimension + " =";
  for (const std::string& v : values) text += " " + v;
  return text;
}

}  // namespace

Holdout cross_validate(const FitRow& fit, const SampleSet& set, const Machine& machine, size_t most_folds) {
  Holdout holdout;
  std::vector<double> all;
  for (size_t d = 0; d + set.only_grouped < set.dimensions.size(); ++d)
    for (const std::vector<std::string>& values : folds_of(set, d, most_folds)) {
      const SampleSet rest = part_of(set, d, values, true);
      SampleSet left = part_of(set, d, values, false);
      if (static_cast<int64_t>(rest.samples.size()) < fit.parameters) continue;
      const Fitted fitted = fitted_to(rest, machine, fit);
      if (fitted.empty) continue;
      if (fitted.covers) std::erase_if(left.samples, [&](const Sample& sample) { return !fitted.covers(sample); });
      if (left.samples.empty()) continue;
      std::vector<double> logs = log_ratios(left, device_of(machine, fitted.calibration), choice_of(fit));
      all.insert(all.end(), logs.begin(), logs.end());
      holdout.folds.push_back({label(set.dimensions[d], values), errors_of(logs)});
    }
  holdout.all = errors_of(all);
  return holdout;
}

Holdout projected(const FitRow& fit, const SampleSet& set, const Machine& machine, const Fitted& fitted) {
  const Device device = device_of(machine, fitted.calibration);
  Holdout holdout;
  holdout.all = errors_of(log_ratios(set, device, choice_of(fit)));
  holdout.folds.push_back({"all but the base", holdout.all});
  for (GroupErrors& group : errors_by_group(set, device, choice_of(fit)))
    holdout.folds.push_back({std::move(group.group), group.errors});
  return holdout;
}

}  // namespace operator_models
