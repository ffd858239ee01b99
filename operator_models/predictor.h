// Predicts how many identical GEMMs should run at once, by multinomial logistic regression over features of a GEMM
// known before it runs (Pati 2024, section 7.3.3, equation 7.1).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "operator_models/calibration.h"
#include "operator_models/cost.h"

namespace operator_models {

/// Numbers of concurrent GEMMs among which a predictor chooses (section 7.3.3).
inline constexpr std::array<int64_t, 5> kDegrees{1, 2, 4, 8, 16};

/// M, N, K, and workgroups, occupancy and waves of the kernels for 2, 4, 8 and 16 at once.
inline constexpr size_t kPredictorFeatures = 3 + 3 * 4;

/// REQUIRES: the GEMM is not empty.
std::vector<double> features_of(const Gemm& gemm, const Device& device);

/// From 0 at the least of the training set to 1 at its most, and a constant behind them.
std::vector<double> scaled(const DegreePredictor& predictor, std::span<const double> features);

/// The degree with the largest x * w, each feature scaled by its least and most of the training set. REQUIRES: the
/// predictor has them for each feature, and weights for each degree and feature, and a constant.
int64_t predicted_degree(const DegreePredictor& predictor, std::span<const double> features);

}  // namespace operator_models
