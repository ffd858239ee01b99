// Fits of the GEMM models.
#pragma once

#include "operator_models/calibrate/kinds.h"

namespace operator_models {

/// Time of a row that is not the GEMM's: eight-bit tables hold the cast of A. It is fitted beside and left out.
struct Beside {
  double base = 0, per_element = 0;  // seconds; seconds per element of A
  double of(const Gemm& op) const { return base + per_element * static_cast<double>(op.m) * static_cast<double>(op.k); }
};

struct WaveFit {
  Fitted fitted;
  Beside beside;
};

/// Fewest samples: the waves' numbers; those and the nodes of the table.
inline constexpr int64_t kWaveNumbers = 14, kTableNumbers = 270;

/// One efficiency of the peak and one of the bandwidth (model `roofline`); the launch stays.
Fitted fit_gemm_roofline(const SampleSet& set, const Machine& machine);

/// Efficiencies, tiles, prologue, tail and split of `wave`, and the launch, from a spread part of the samples.
WaveFit fit_waves(const SampleSet& set, const Machine& machine);
Fitted fit_gemm_wave(const SampleSet& set, const Machine& machine);

/// `wave`, and corrections on the nodes that lie inside the data.
Fitted fit_gemm_table(const SampleSet& set, const Machine& machine);

/// The calibration's row for a precision; made from the nearest one's where it has none.
GemmCalibration& gemm_row_for(Calibration& calibration, Precision precision);
/// The standard error and the outliers, told.
void finish_gemm_fit(Fitted& fitted, const SampleSet& set, const Machine& machine, const char* model,
                     const Beside& beside = {});

}  // namespace operator_models
