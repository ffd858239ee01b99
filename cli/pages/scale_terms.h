// Scaling models as JSON has them.
#pragma once

#include <string>
#include <vector>

#include "cli/report/data.h"
#include "planner/scaling/models.h"

namespace cli {

/// Each term's coefficient, and by parameter the exponents of the parameter and of its log2.
Data pmnf_terms(const planner::scaling::Pmnf& model, const std::vector<std::string>& parameters);
/// Both parts of a segmented model and where the law changes; null: it has one part.
Data segments_of(const planner::scaling::Model& model, const std::vector<std::string>& parameters);
/// Points that were not fitted: what was measured there, and what the model says.
Data evaluated_of(const planner::scaling::Model& model);
Data numbers_of(const std::vector<double>& values);

}  // namespace cli
