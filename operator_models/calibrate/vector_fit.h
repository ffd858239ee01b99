// Fits of the kernels bound by memory.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Each kind of kernel by itself: an efficiency (by row width for norms and softmax), what a call of an eager framework
/// costs where the samples are such calls, a factor for backward kernels; lookups; the optimizer's efficiency.
Fitted fit_vector(const SampleSet& set, const Machine& machine);

}  // namespace operator_models
