// The weight of a measured row.
//
//     residual = w * huber(ln(predicted / measured) / noise),   w = n^(-1/4) for n rows of a group
//
// Rows of a group share the error of their configuration's model: n of them weigh like sqrt(n) independent rows. Beyond
// `bend` standard errors a residual counts by its size, not its square (Huber 1964), so that an outlier does not drive
// the fit.
#pragma once

#include <vector>

#include "planner/studies/fit_steps/problem.h"

namespace planner {

inline constexpr double kNoise = 0.04;  // of ln(predicted / measured), not explained by fitted numbers, time and memory
inline constexpr double kBend = 2;

/// Returns sign(z) sqrt(huber loss): z below the bend; its square grows linearly beyond.
double huber(double z);
/// Returns the derivative of `huber`.
double huber_slope(double z);

/// The weights of each row, 0 where nothing was measured.
struct RowWeight {
  double time = 0, memory = 0;
};
std::vector<RowWeight> row_weights(const std::vector<MeasuredRun>& rows);

}  // namespace planner
