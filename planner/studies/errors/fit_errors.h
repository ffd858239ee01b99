// Estimates the variances of the error model, by its predictions for unseen runs.
//
// Each row is predicted three times: without its family, without its group, without itself. The variances maximise the
// mean log density at the measured values (the log score), which penalises error and width alike. So do the scatter
// factors of a generation, a kind and a width, which lie around 1.
//
// How much a change of layout changes the error of a plan, from jobs that were measured with several layouts.
#pragma once

#include <vector>

#include "planner/studies/errors/error_rows.h"

namespace planner {

/// Returns the model without families. REQUIRES: rows.
ErrorModel fit_errors(const std::vector<ErrorRow>& rows);

/// Returns the standard deviation of each trait under which the measured changes are likeliest. Each
/// is pulled towards a common one, by a factor of e^0.5 a standard deviation, which a trait that no job varies takes.
/// A job with n layouts weighs like sqrt(n - 1) changes.
std::vector<double> fit_changes(const std::vector<ErrorRow>& rows);

/// Scores of pairs of layouts whose planned steps the models can distinguish.
struct ChangeScore {
  int64_t jobs = 0, pairs = 0, apart = 0, wrong = 0;  // wrong: the other layout was measured as the faster one
};
ChangeScore change_score(const std::vector<ErrorRow>& rows, const std::vector<double>& deviations);

}  // namespace planner
