// Scores of predictions of runs: errors, coverage and width of intervals, log score; of all and by class.
//
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

/// Fractions. The prediction is the median of the outlook.
struct ErrorScore {
  std::string name;
  int64_t rows = 0;
  double mean = 0, median = 0, bias = 0;  // of |predicted / measured - 1|, and of predicted / measured - 1
  double inside_50 = 0, inside_80 = 0, inside_95 = 0;
  double half_width = 0;  // of the 80 % interval, the median over rows
  double log_score = 0;
};

/// Returns the scores of all rows, then by kind of job, generation, width and number of compared runs.
std::vector<ErrorScore> error_scores(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out);
/// Returns the scores of each family.
std::vector<ErrorScore> family_scores(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out);

/// The value of `own` measured runs at the smallest scale of a software, accelerator and model for predicting its runs
/// on 64 GPUs and more, if nothing else is known of the family. The name is `own`.
struct OwnScore {
  ErrorScore score;
  size_t runs = 0;  // the user's own, in each group
  int64_t groups = 0;
};
/// Returns the scores with each number of own runs, over the groups that have the most of them.
std::vector<OwnScore> own_scores(const ErrorModel& model, const std::vector<ErrorRow>& rows);

}  // namespace planner
