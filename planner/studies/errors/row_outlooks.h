// The error model's prediction for a measured run if some of the others are unknown.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/studies/errors/error_rows.h"

namespace planner {

/// The prediction for a row from the rest: its ln(measured / planned) is normal.
struct RowOutlook {
  double mean = 0, sd = 0;
  int64_t runs = 0;  // of its family that are known
};

/// The families of each software, of all rows.
using SoftwareRows = std::map<std::string, std::vector<const ErrorRow*>>;
SoftwareRows by_software(const std::vector<ErrorRow>& rows);

/// What is excluded from the prediction of a row.
enum class LeftOut { nothing, row, group, family };

/// Returns the outlook of each row. Without its family a row's own ratio is that of the fit without it.
std::vector<RowOutlook> outlooks(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out);

/// Returns the log density of a ratio: Student's distribution with the outlook's 10th and 90th percentile.
double log_density(const RowOutlook& outlook, double ratio);
/// Returns the mean log density of the rows' ratios.
double log_score(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out);

/// The ratio that counts of a row that is predicted without something.
inline double ratio_of(const ErrorRow& row, LeftOut left_out) {
  return left_out == LeftOut::family ? row.left_out : row.shipped;
}

}  // namespace planner
