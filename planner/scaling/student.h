// Student's t distribution.
#pragma once

namespace planner::scaling {

/// Returns P(T <= t) with `freedom` degrees of freedom > 0.
double student_cdf(double t, double freedom);

/// Returns the t with P(|T| <= t) = level, 0 < level < 1: 2.776 for 95 % and 4.
double student_two_sided(double level, double freedom);

}  // namespace planner::scaling
