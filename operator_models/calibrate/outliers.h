// Measurements that a fit cannot follow: said, and kept.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// One warning for all samples further off than five times the median of |logs|; the worst is named with its place.
void warn_outliers(const SampleSet& set, const std::vector<double>& logs, Fitted& fitted);

}  // namespace operator_models
