#include "operator_models/calibrate/row_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace operator_models {
namespace {

constexpr double kFar = 5, kLeast = 0.2;  // times the median of |log|, and at least 20 %

}  // namespace

LeastSquares fit_in_place(const std::vector<FitNumber>& numbers, const std::function<std::vector<double>()>& residuals,
                          const std::vector<std::vector<double>>& starts, int most_iterations) {
  std::vector<Parameter> ranges;
  for (const FitNumber& number : numbers) ranges.push_back(number.range);
  const auto put = [&](const std::vector<double>& x) {
    for (size_t i = 0; i < x.size(); ++i) *numbers[i].value = x[i];
  };
  const Residuals moved = [&](const std::vector<double>& x) {
    put(x);
    return residuals();
  };
  LeastSquares found = least_squares(moved, ranges, starts, most_iterations);
  put(found.values);
  return found;
}

std::vector<double> residuals_of(const SampleSet& set, const Machine& machine, const Calibration& calibration,
                                 const ModelChoice& choice) {
  std::vector<double> logs = predicted(set, device_of(machine, calibration), choice);
  for (size_t i = 0; i < logs.size(); ++i) logs[i] = std::log(logs[i] / set.samples[i].seconds);
  return logs;
}

void warn_outliers(const SampleSet& set, const std::vector<double>& logs, Fitted& fitted) {
  if (logs.empty()) return;
  std::vector<double> sizes;
  for (double x : logs) sizes.push_back(std::abs(x));
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double far = std::max(kLeast, kFar * *middle);
  const auto count = std::count_if(logs.begin(), logs.end(), [&](double x) { return std::abs(x) > far; });
  if (count == 0) return;
  const auto worst =
      std::max_element(logs.begin(), logs.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  const Sample& sample = set.samples[static_cast<size_t>(worst - logs.begin())];
  const std::string place =
      sample.place.source ? fmt::format(", {}:{}", sample.place.source->name, sample.place.line) : "";
  fitted.warnings.push_back(fmt::format("{} of {} {} rows are more than {:.0f} % off the fit, the worst {:.2f} times{}",
                                        count, logs.size(), kind_of(sample.op), 100 * std::expm1(far), std::exp(*worst),
                                        place));
}

}  // namespace operator_models
