// How well a calibration prices measured operators.
//
//     ratio = predicted / measured        geomean error = exp(mean |ln ratio|) - 1
//     bias  = exp(mean ln ratio) - 1      residual      = sqrt(mean (ln ratio)^2)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator_models/calibrate/sample.h"

namespace operator_models {

struct Errors {
  int64_t rows = 0;
  std::optional<double> geomean, median, p90, bias, residual;  // none without rows; median and p90 of |ratio - 1|
};

/// Errors of the logarithms of predicted over measured.
Errors errors_of(const std::vector<double>& log_ratios);

/// Seconds of each sample with the models of `choice`.
std::vector<double> predicted(const SampleSet& set, const Device& device, const ModelChoice& choice);
/// ln(predicted / measured) of the counted samples.
std::vector<double> log_ratios(const SampleSet& set, const Device& device, const ModelChoice& choice);

/// Samples that share a value of one of the dimensions.
struct GroupErrors {
  std::string group;  // "op = all_reduce"
  Errors errors;
};
/// Returns the errors by every dimension that has from 2 to 12 values among the counted samples.
std::vector<GroupErrors> errors_by_group(const SampleSet& set, const Device& device, const ModelChoice& choice);

}  // namespace operator_models
