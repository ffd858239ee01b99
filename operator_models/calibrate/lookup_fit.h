// The fit of embedding lookups.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// The calibration's row `lookup-reuse`: a share of the bandwidth for forward lookups, and a factor on it for backward
/// ones, each where there are six rows and more; fewer leave it as it is, with a warning.
Fitted fit_lookup(const SampleSet& set, const Machine& machine);

}  // namespace operator_models
