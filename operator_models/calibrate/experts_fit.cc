#include <cmath>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/row_fit.h"

namespace operator_models {
namespace {

constexpr double kUsual = 0.05;  // logs beyond count by their size, not its square

/// The root of 2 s^2 (sqrt(1 + (x/s)^2) - 1): as x where it is small, its square as |x| where it is large.
double tempered(double x) {
  const double over = std::hypot(1, x / kUsual) - 1;
  return std::copysign(kUsual * std::sqrt(2 * over), x);
}

/// Where a fit begins, whatever the catalogue says, so that it ends at one place.
std::vector<FitNumber> numbers_of(GroupedCalibration& row) {
  return {{&row.efficiency, {.start = 0.7, .least = 0.01, .most = 1}},
          {&row.k_overhead, {.start = 1000, .least = 1, .most = 9000}},
          {&row.memory_efficiency, {.start = 0.85, .least = 0.1, .most = 1.3}},
          {&row.ramp.value, {.start = 4e-6, .least = 1e-8, .most = 1e-4}},
          {&row.layer_base.value, {.start = 8e-6, .least = 1e-8, .most = 1e-3}},
          {&row.layer_sort.value, {.start = 5e-6, .least = 1e-8, .most = 1e-3}},
          {&row.layer_copy.value, {.start = 1e-10, .least = 1e-13, .most = 1e-8}},
          {&row.layer_row.value, {.start = 1e-10, .least = 1e-13, .most = 1e-8}},
          {&row.layer_efficiency, {.start = 0.4, .least = 0.05, .most = 3}}};
}

}  // namespace

Fitted fit_experts(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, set.samples.empty()};
  if (fitted.empty) return fitted;
  GroupedCalibration& row = fitted.calibration.grouped[name(std::get<Gemm>(set.samples[0].op).precision)];
  fit_in_place(numbers_of(row), [&] {
    std::vector<double> logs = residuals_of(set, machine, fitted.calibration);
    for (double& x : logs) x = tempered(x);
    return logs;
  });
  const std::vector<double> logs = residuals_of(set, machine, fitted.calibration);
  // From a normal error with this mean size: missed kernels do not add error to the others.
  row.relative_error = 1.2533 * std::log1p(errors_of(logs).geomean.value_or(0));
  row.provenance = Provenance::interpolated;
  warn_outliers(set, logs, fitted);
  return fitted;
}

}  // namespace operator_models
