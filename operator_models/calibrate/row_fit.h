// Shared by the fits of a calibration's rows: numbers that move in place, and a description of each row's data.
#pragma once

#include <functional>
#include <vector>

#include "operator_models/calibrate/least_squares.h"
#include "operator_models/calibrate/measured_file.h"
#include "operator_models/calibrate/score.h"

namespace operator_models {

/// A number of a calibration that a fit moves, and where to.
struct FitNumber {
  double* value;
  Parameter range;
};
/// Moves the numbers to where the sum of squares of `residuals`, which reads them in place, is least.
LeastSquares fit_in_place(const std::vector<FitNumber>& numbers, const std::function<std::vector<double>()>& residuals,
                          const std::vector<std::vector<double>>& starts = {}, int most_iterations = 50);

template <class Wanted> SampleSet samples_where(const SampleSet& set, const Wanted& wanted) {
  SampleSet part{set.dimensions};
  for (const Sample& s : set.samples)
    if (wanted(s)) part.samples.push_back(s);
  return part;
}
template <class Op> SampleSet samples_of_pass(const SampleSet& set, bool backward) {
  return samples_where(set, [&](const Sample& s) { return std::get<Op>(s.op).backward == backward; });
}

/// ln(predicted / measured) of all samples, counted or not: what fits follow.
std::vector<double> residuals_of(const SampleSet& set, const Machine& machine, const Calibration& calibration,
                                 const ModelChoice& choice = {});

/// A fit may need values that a field of a catalogue file may not have: it has rows that are not measurements, and few
/// of them.
/// Moves every number outside its field's bounds to the nearest bound. Returns the paths of these fields
/// ("collective.nvlink-all-reduce.relative_error").
std::vector<std::string> move_into_bounds(Calibration& calibration);

/// One warning for all samples further off than five times the median of |logs|; the worst is named with its place.
void warn_outliers(const SampleSet& set, const std::vector<double>& logs, Fitted& fitted);

/// Says in a row what error and provenance its fit has, and warns of samples that it cannot follow.
template <class Row> void finish_row(Row& row, const SampleSet& set, const std::vector<double>& logs, Fitted& fitted) {
  row.relative_error = errors_of(logs).residual.value_or(row.relative_error);
  row.provenance = Provenance::interpolated;
  warn_outliers(set, logs, fitted);
}

}  // namespace operator_models
