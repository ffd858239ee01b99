// The row of kernels for all experts of a rank, from tables of their layer.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

inline constexpr int64_t kGroupedNumbers = 9;

/// The row of the samples' precision. The sum of absolute logs is what falls, near enough: where a tuner missed its
/// kernel a whole setting is 1.5 to 4 times slow, which no size explains.
Fitted fit_experts(const SampleSet& set, const Machine& machine);

}  // namespace operator_models
