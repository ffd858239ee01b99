// By how much plans of larger degrees are off more than those of smaller ones, from jobs with several layouts.
#pragma once

#include <vector>

#include "planner/studies/errors/error_rows.h"

namespace planner {

struct LayoutSlope {
  const char* trait = "";       // of layout_traits()
  int64_t jobs = 0;             // with layouts that differ in it
  double slope = 0, error = 0;  // of ln(planned / measured) per doubling, or per word; one standard error
};

/// Returns the slopes of all traits that vary inside a job, by least squares with a mean of its own for each job. The
/// runs of one layout count once. A trait that varies only together with others has none.
std::vector<LayoutSlope> layout_slopes(const std::vector<ErrorRow>& rows);

}  // namespace planner
