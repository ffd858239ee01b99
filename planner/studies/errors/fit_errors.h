// Estimates the variances of the error model, by its predictions for unseen runs.
//
// Each row is predicted three times: without its family, without its group, without itself. The variances maximise the
// mean log density at the measured values (the log score), which penalises error and width alike. So do the scatter
// factors of a generation, a kind and a width, which lie around 1.
#pragma once

#include <vector>

#include "planner/studies/errors/error_rows.h"

namespace planner {

/// Returns the model without families. REQUIRES: rows.
ErrorModel fit_errors(const std::vector<ErrorRow>& rows);

}  // namespace planner
