// The variances of the error model, by what they predict of runs that they have not seen.
//
// Each row is predicted three times: without its family, without its group, without itself. The variances are those of
// the highest mean log density at what was measured (the log score), which punishes error and width alike. So is the
// scatter of a generation, a kind and a width, whose factors lie around 1.
#pragma once

#include <vector>

#include "planner/studies/errors/error_rows.h"

namespace planner {

/// Returns the model without families. REQUIRES: rows.
ErrorModel fit_errors(const std::vector<ErrorRow>& rows);

}  // namespace planner
