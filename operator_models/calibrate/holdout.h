// Cross-validation by group: a value of a dimension (a size, a number of GPUs, a model, a file) is left out, the rest
// is fitted, and the fit prices what it has not seen. Never by random row: neighbours of a row give it away.
#pragma once

#include "operator_models/calibrate/measured_kinds.h"
#include "operator_models/calibrate/score.h"

namespace operator_models {

struct HoldoutFold {
  std::string left_out;  // "m = 256", or "m = 1 64 896 ..." where one fold holds several values
  Errors errors;
};

struct Holdout {
  std::vector<HoldoutFold> folds;
  Errors all;  // every left-out sample once per dimension
};

/// Leaves out the values of each dimension in turn; where a dimension has more than `most_folds` values, every
/// most_folds-th value of the sorted list together. A dimension with one value says nothing and is passed over; one
/// without which nothing could be fitted too (the fit says so by an empty calibration), and samples that the rest says
/// nothing of (`Fitted::covers`).
Holdout cross_validate(const FitRow& fit, const SampleSet& set, const Machine& machine, size_t most_folds = 8);

/// Returns the errors of everything that is not in the base iteration, by group; nothing of it was fitted.
Holdout projected(const FitRow& fit, const SampleSet& set, const Machine& machine, const Fitted& fitted);

}  // namespace operator_models
