// Trains the predictor of how many GEMMs alike should run at once (Pati 2024, section 7.3.3).
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "operator_models/predictor.h"

namespace operator_models {

/// A GEMM as the predictor sees it, and how many are done in a second if as many as each of kDegrees run at once.
struct LabelledGemm {
  std::vector<double> features;
  std::array<double, kDegrees.size()> rates{};
  /// The number, as an index of kDegrees, that gains most; of equal ones the least.
  size_t degree() const { return static_cast<size_t>(std::ranges::max_element(rates) - rates.begin()); }
};

/// Multinomial logistic regression by gradient descent on features scaled to 0..1, with a small pull of the weights to
/// zero. Every tenth shape is left out of the training, for `accuracy`. REQUIRES: at least one; equal numbers of
/// features.
DegreePredictor train_predictor(std::span<const LabelledGemm> gemms);

/// Share of the GEMMs for which the rate of its number is within 5 % of the best.
double near_best_of(const DegreePredictor& predictor, std::span<const LabelledGemm> gemms);

/// Share of the GEMMs whose best number it says, of `available` at hand.
double accuracy_of(const DegreePredictor& predictor, std::span<const LabelledGemm> gemms, int64_t available);

}  // namespace operator_models
