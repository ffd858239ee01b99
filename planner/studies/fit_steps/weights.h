// How much a measured row says.
//
//     residual = w * huber(ln(predicted / measured) / noise),   w = n^(-1/4) for n rows of a group
//
// Rows of a group share what the models leave out of their configuration: n of them weigh like sqrt(n) rows alone.
// Beyond `bend` standard errors a residual counts by its size, not its square (Huber 1964), so that an odd row does not
// drive the fit.
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
