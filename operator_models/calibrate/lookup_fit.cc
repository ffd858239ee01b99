#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/row_fit.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr const char* kRow = "lookup-reuse";
const ModelChoice kReuse{{"lookup", "reuse"}};
constexpr size_t kLeastRows = 6;

/// One number, to the samples; whether there are enough of them.
bool fit_number(double& number, const SampleSet& set, const Machine& machine, const Calibration& calibration,
                double most) {
  if (set.samples.size() < kLeastRows) return false;
  fit_in_place({{&number, {.start = number, .least = 0.01, .most = most}}},
               [&] { return residuals_of(set, machine, calibration, kReuse); });
  return true;
}

}  // namespace

Fitted fit_lookup(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, true};
  const bool own = fitted.calibration.vector.contains(kRow);
  const VectorCalibration start = vector_row(fitted.calibration, own ? kRow : "lookup");
  VectorCalibration& row = fitted.calibration.vector.insert_or_assign(kRow, start).first->second;
  const bool forward = fit_number(row.efficiency, samples_of_pass<Lookup>(set, false), machine, fitted.calibration, 1);
  const bool backward = fit_number(row.backward, samples_of_pass<Lookup>(set, true), machine, fitted.calibration, 3);
  if (!forward || !backward)
    fitted.warnings.push_back(std::string("fewer than six rows ") + (forward ? "backward" : "forward") +
                              ": their figure stays as it was");
  fitted.empty = !forward && !backward;
  finish_row(row, set, residuals_of(set, machine, fitted.calibration, kReuse), fitted);
  return fitted;
}

}  // namespace operator_models
