// How far a model is from values: the five measures that Extra-P reports.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "planner/scaling/terms.h"

namespace planner::scaling {

/// Which value represents a point's repetitions.
enum class Measure { mean, median };

/// Returns the mean or the median; NaN where one of the repetitions is. REQUIRES: at least one repetition.
double representative(std::span<const double> repetitions, Measure measure);

/// With cross-validation every point's error is that of the fit without it.
struct Quality {
  double rss = 0;    // sum of squared errors
  double rrss = 0;   // sum of squared relative errors
  double smape = 0;  // symmetric mean absolute percentage error, %: 200 |f - y| / (|f| + |y|) in the mean
  double ar2 = 1;    // adjusted coefficient of determination; 1 for a constant model
  double re = 0;     // mean relative error; of a constant model that of the last point (so in Extra-P)
  double nrss = 0;   // sqrt(rss) / mean value; cross-validated: the mean of its course while points are added
};

struct Fit {
  Pmnf model;
  Quality quality;
};

double mean_of(std::span<const double> values);
/// Returns the sum of squared distances to the mean.
double spread_of(std::span<const double> values);

/// Returns 200 |f - y| / (|f| + |y|), and 0 where both are 0.
inline double percentage_error(double predicted, double actual) {
  const double size = std::abs(actual) + std::abs(predicted);
  return size == 0 ? 0 : 200 * std::abs(predicted - actual) / size;
}

/// Returns 1 - (rss / total) * (points - 1) / (points - factors - 1).
double adjusted_r2(double rss, double total, size_t points, size_t factors);

/// Returns the fit of the model that is the mean of `values`.
Fit constant_fit(std::span<const double> values);

/// Returns the quality of the predictions predicted(i), made with all points and not cross-validated. AR2 stays 1, and
/// nRSS is not finite if the mean is 0.
template <class Predicted> Quality quality_of(Predicted&& predicted, std::span<const double> actual) {
  Quality quality;
  const double count = static_cast<double>(actual.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const double value = predicted(i), difference = value - actual[i];
    if (difference == 0) continue;
    quality.rss += difference * difference;
    quality.rrss += difference / actual[i] * (difference / actual[i]);
    quality.re += std::abs(difference) / actual[i] / count;
    quality.smape += percentage_error(value, actual[i]) / count;
  }
  quality.nrss = std::sqrt(quality.rss) / mean_of(actual);
  return quality;
}

}  // namespace planner::scaling
