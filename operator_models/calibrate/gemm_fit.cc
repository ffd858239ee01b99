#include "operator_models/calibrate/gemm_fit.h"

#include "operator_models/calibrate/least_squares.h"
#include "operator_models/calibrate/score.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

/// The calibration's row for the precision of the samples; made from the nearest one's where it has none.
GemmCalibration& row_for(Calibration& calibration, Precision precision) {
  const GemmRow nearest = gemm_row(calibration, precision);
  return calibration.gemm.try_emplace(name(precision), *nearest.row).first->second;
}

}  // namespace

Fitted fit_gemm_roofline(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, set.samples.empty()};
  if (fitted.empty) return fitted;
  const Precision precision = std::get<Gemm>(set.samples[0].op).precision;
  GemmCalibration& row = row_for(fitted.calibration, precision);
  const ModelChoice choice{{"gemm", "roofline"}};
  const Residuals residuals = [&](const std::vector<double>& x) {
    row.roofline_efficiency = x[0];
    row.memory_efficiency = x[1];
    return log_ratios(set, device_of(machine, fitted.calibration), choice);
  };
  const LeastSquares found = least_squares(residuals, {{.start = row.roofline_efficiency, .least = 0.01, .most = 1},
                                                       {.start = row.memory_efficiency, .least = 0.01, .most = 1.5}});
  residuals(found.values);
  row.relative_error = found.residual;
  row.provenance = Provenance::interpolated;
  return fitted;
}

}  // namespace operator_models
