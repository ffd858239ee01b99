// Fits of the GEMM models.
#pragma once

#include "operator_models/calibrate/kinds.h"

namespace operator_models {

/// One efficiency of the peak and one of the bandwidth (model `roofline`); the launch stays.
Fitted fit_gemm_roofline(const SampleSet& set, const Machine& machine);

}  // namespace operator_models
