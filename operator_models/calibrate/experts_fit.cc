#include "operator_models/calibrate/experts_fit.h"

#include <algorithm>
#include <cmath>

#include "operator_models/calibrate/least_squares.h"
#include "operator_models/calibrate/outliers.h"
#include "operator_models/calibrate/score.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr double kUsual = 0.05;  // logs beyond count by their size, not its square

std::vector<double> logs_of(const SampleSet& set, const Machine& machine, const Calibration& calibration) {
  std::vector<double> logs = predicted(set, device_of(machine, calibration), {});
  for (size_t i = 0; i < logs.size(); ++i) logs[i] = std::log(logs[i] / set.samples[i].seconds);
  return logs;
}

/// The root of 2 s^2 (sqrt(1 + (x/s)^2) - 1): as x where it is small, its square as |x| where it is large.
double tempered(double x) {
  const double over = std::hypot(1, x / kUsual) - 1;
  return std::copysign(kUsual * std::sqrt(2 * over), x);
}

void set_row(GroupedCalibration& row, const std::vector<double>& x) {
  row.efficiency = x[0];
  row.k_overhead = x[1];
  row.memory_efficiency = x[2];
  row.ramp = {x[3]};
  row.layer_base = {x[4]};
  row.layer_sort = {x[5]};
  row.layer_copy = {x[6]};
  row.layer_row = {x[7]};
  row.layer_efficiency = x[8];
}

/// Where a fit begins, whatever the catalogue says, so that it ends at one place.
const std::vector<Parameter> kNumbers{
    {.start = 0.7, .least = 0.01, .most = 1},       {.start = 1000, .least = 1, .most = 9000},
    {.start = 0.85, .least = 0.1, .most = 1.3},     {.start = 4e-6, .least = 1e-8, .most = 1e-4},
    {.start = 8e-6, .least = 1e-8, .most = 1e-3},   {.start = 5e-6, .least = 1e-8, .most = 1e-3},
    {.start = 1e-10, .least = 1e-13, .most = 1e-8}, {.start = 1e-10, .least = 1e-13, .most = 1e-8},
    {.start = 0.4, .least = 0.05, .most = 3}};

}  // namespace

Fitted fit_experts(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, set.samples.empty()};
  if (fitted.empty) return fitted;
  GroupedCalibration& row = fitted.calibration.grouped[name(std::get<Gemm>(set.samples[0].op).precision)];
  const Residuals residuals = [&](const std::vector<double>& x) {
    set_row(row, x);
    std::vector<double> logs = logs_of(set, machine, fitted.calibration);
    for (double& x_i : logs) x_i = tempered(x_i);
    return logs;
  };
  set_row(row, least_squares(residuals, kNumbers).values);
  const std::vector<double> logs = logs_of(set, machine, fitted.calibration);
  // Of a normal error with this mean size: missed kernels are no error of the others.
  row.relative_error = 1.2533 * std::log1p(errors_of(logs).geomean.value_or(0));
  row.provenance = Provenance::interpolated;
  warn_outliers(set, logs, fitted);
  return fitted;
}

}  // namespace operator_models
