// Trains the predictor of how many GEMMs alike should run at once (Pati 2024, section 7.3.3).
#pragma once

#include <span>
#include <vector>

#include "operator_models/predictor.h"

namespace operator_models {

/// A GEMM as the predictor sees it, and the number of GEMMs at once (of kDegrees) that gains most.
struct LabelledGemm {
  std::vector<double> features;
  size_t degree = 0;  // index of kDegrees
};

/// Multinomial logistic regression by gradient descent on features scaled to 0..1, with a small pull of the weights to
/// zero. Every tenth shape is left out of the training, for `accuracy`. REQUIRES: at least one; equal numbers of
/// features.
DegreePredictor train_predictor(std::span<const LabelledGemm> gemms);

/// Share of the GEMMs whose best number it says, of `available` at hand.
double accuracy_of(const DegreePredictor& predictor, std::span<const LabelledGemm> gemms, int64_t available);

}  // namespace operator_models
