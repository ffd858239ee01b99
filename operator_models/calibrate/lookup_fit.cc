#include "operator_models/calibrate/lookup_fit.h"

#include <cmath>

#include "operator_models/calibrate/least_squares.h"
#include "operator_models/calibrate/outliers.h"
#include "operator_models/calibrate/score.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr const char* kRow = "lookup-reuse";
constexpr size_t kLeastRows = 6;

std::vector<double> logs_of(const SampleSet& set, const Machine& machine, const Calibration& calibration) {
  std::vector<double> logs = predicted(set, device_of(machine, calibration), {{"lookup", "reuse"}});
  for (size_t i = 0; i < logs.size(); ++i) logs[i] = std::log(logs[i] / set.samples[i].seconds);
  return logs;
}

SampleSet direction(const SampleSet& all, bool backward) {
  SampleSet part{all.dimensions};
  for (const Sample& s : all.samples)
    if (std::get<Lookup>(s.op).backward == backward) part.samples.push_back(s);
  return part;
}

/// One number, to the samples; whether there are enough of them.
bool fit_number(double& number, const SampleSet& set, const Machine& machine, const Calibration& calibration,
                double most) {
  if (set.samples.size() < kLeastRows) return false;
  const Residuals residuals = [&](const std::vector<double>& x) {
    number = x[0];
    return logs_of(set, machine, calibration);
  };
  number = least_squares(residuals, {{.start = number, .least = 0.01, .most = most}}).values[0];
  return true;
}

}  // namespace

Fitted fit_lookup(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, true};
  const bool own = fitted.calibration.vector.contains(kRow);
  const VectorCalibration start = vector_row(fitted.calibration, own ? kRow : "lookup");
  VectorCalibration& row = fitted.calibration.vector.insert_or_assign(kRow, start).first->second;
  const bool forward = fit_number(row.efficiency, direction(set, false), machine, fitted.calibration, 1);
  const bool backward = fit_number(row.backward, direction(set, true), machine, fitted.calibration, 3);
  if (!forward || !backward)
    fitted.warnings.push_back(std::string("fewer than six rows ") + (forward ? "backward" : "forward") +
                              ": their figure stays as it was");
  fitted.empty = !forward && !backward;
  const std::vector<double> logs = logs_of(set, machine, fitted.calibration);
  row.relative_error = errors_of(logs).residual.value_or(row.relative_error);
  row.provenance = Provenance::interpolated;
  warn_outliers(set, logs, fitted);
  return fitted;
}

}  // namespace operator_models
