// The base iteration of model `baseline`, from samples.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// The samples marked as base become the calibration's base iteration, equal shapes with their mean time; where none is
/// marked, all of them do. Nothing is fitted. Warns of a base that does not fill the device: scaled up, its waste is
/// scaled too.
Fitted fit_baseline(const SampleSet& set, const Machine& machine);

/// `baseline` for each kind of operator that has it: an iteration holds several.
ModelChoice baseline_choice();

}  // namespace operator_models
