// What GEMMs at once do to each other, from measured times of several alike: the numbers of the local model
// (operator_models/concurrency.h), and the predictor that is trained on the best number of each shape.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Fits `hide`, `thrash`, `ramp`, `burst` and `sustained` where times were measured, and trains the predictor where
/// shapes come with every number of kDegrees; else a warning says what is missing.
Fitted fit_concurrency(const SampleSet& set, const Machine& machine);
/// The same where the kernels were tuned for the number at once, and for shapes alone.
Fitted fit_tuned_concurrency(const SampleSet& set, const Machine& machine);

}  // namespace operator_models
