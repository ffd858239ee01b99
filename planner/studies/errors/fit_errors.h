// The variances of the error model, by what they predict of runs that they have not seen.
//
// Each row is predicted three times: without its family, without its group, without itself. The variances are those of
// the highest mean log density at what was measured (the log score), which punishes error and width alike. So is the
// scatter of a generation, a kind and a width, whose factors lie around 1.
#pragma once

#include <vector>

#include "planner/studies/errors/error_rows.h"

namespace planner {

/// What the rest says of a row: its ln(measured / planned) is normal.
struct RowOutlook {
  double mean = 0, sd = 0;
  int64_t runs = 0;  // of its family that are known
};

/// What is left out of what a row is predicted from.
enum class LeftOut { nothing, row, group, family };

/// Returns the outlook of each row. Without its family a row's own ratio is that of the fit without it.
std::vector<RowOutlook> outlooks(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out);

/// Returns the log density of a ratio: Student's distribution, of which the outlook's 10th and 90th percentile are
/// those.
double log_density(const RowOutlook& outlook, double ratio);
/// Returns the mean log density of the rows' ratios.
double log_score(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out);

/// Returns the model without families. REQUIRES: rows.
ErrorModel fit_errors(const std::vector<ErrorRow>& rows);

/// The ratio that counts of a row that is predicted without something.
inline double ratio_of(const ErrorRow& row, LeftOut left_out) {
  return left_out == LeftOut::family ? row.left_out : row.shipped;
}

}  // namespace planner
