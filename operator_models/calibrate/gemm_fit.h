// What the fits of the GEMM models share.
#pragma once

#include "operator_models/calibrate/fits.h"

namespace operator_models {

/// fit_gemm_wave without the report of finish_gemm_fit.
Fitted fit_waves(const SampleSet& set, const Machine& machine);

/// The calibration's row for a precision; made from the nearest one's where it has none.
GemmCalibration& gemm_row_for(Calibration& calibration, Precision precision);
/// Reports the standard error, the cast and the outliers.
void finish_gemm_fit(Fitted& fitted, const SampleSet& set, const Machine& machine, const char* model);

}  // namespace operator_models
