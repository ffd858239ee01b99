#include "planner/scaling/quality.h"

#include <algorithm>
#include <vector>

namespace planner::scaling {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double spread_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

double representative(std::span<const double> repetitions, Measure measure) {
  if (measure == Measure::mean) return mean_of(repetitions);
  std::vector<double> sorted(repetitions.begin(), repetitions.end());
  std::ranges::sort(sorted);
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double adjusted_r2(double rss, double total, size_t points, size_t factors) {
  const double freedom = static_cast<double>(points) - static_cast<double>(factors) - 1;
  return 1 - rss / total * (static_cast<double>(points) - 1) / freedom;
}

Fit constant_fit(std::span<const double> values) {
  Fit fit;
  const double mean = fit.model.constant = mean_of(values);
  for (const double actual : values) {
    const double difference = mean - actual;
    fit.quality.rss += difference * difference;
    fit.quality.smape += percentage_error(mean, actual) / static_cast<double>(values.size());
    if (actual == 0) continue;
    fit.quality.rrss += difference / actual * (difference / actual);
    fit.quality.re = std::abs(difference) / actual;
  }
  fit.quality.nrss = std::sqrt(fit.quality.rss) / mean;
  return fit;
}

}  // namespace planner::scaling
