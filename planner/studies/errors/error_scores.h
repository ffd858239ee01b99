// Scores of predictions of runs: errors, coverage and width of intervals, log score; of all and by class.
#pragma once

#include <string>
#include <vector>

#include "planner/studies/errors/row_outlooks.h"

namespace planner {

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
