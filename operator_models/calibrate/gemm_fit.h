// Fits of the GEMM models.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Fewest samples: the waves' numbers; what places the nodes of a table (neighbours hold each other).
inline constexpr int64_t kWaveNumbers = 14, kTableRows = 200;

/// One efficiency of the peak and one of the bandwidth (model `roofline`); the launch stays.
Fitted fit_gemm_roofline(const SampleSet& set, const Machine& machine);

/// Efficiencies, tiles, prologue, tail and split of `wave`, and the launch, from a spread part of the samples.
Fitted fit_waves(const SampleSet& set, const Machine& machine);
Fitted fit_gemm_wave(const SampleSet& set, const Machine& machine);

/// `wave`, and corrections on the nodes that lie inside the data; of fewer samples than kTableRows
/// the rates of the table that the catalogue has, or the waves alone.
Fitted fit_gemm_table(const SampleSet& set, const Machine& machine);

/// The calibration's row for a precision; made from the nearest one's where it has none.
GemmCalibration& gemm_row_for(Calibration& calibration, Precision precision);
/// The standard error, the cast and the outliers, told.
void finish_gemm_fit(Fitted& fitted, const SampleSet& set, const Machine& machine, const char* model);

}  // namespace operator_models
