// The probability that a memory peak fits. The ratio of measured to predicted peaks is log-normal.
//
//     log(measured peak / predicted peak) ~ N(mean, sd^2)
//     P(fits) = P(measured peak <= capacity) = Phi((log(capacity / predicted peak) - mean) / sd)
//
// A family is software on one platform. A group is its runs of one source and model, compared by the memory that they
// print: allocated, reserved or device memory.
// The mean of a family is that of its groups, shrunk towards zero. Its sd is what remains of the spread between
// families, together with that of groups and runs (planner/scenario/error_model.h). A family without peaks has the full
// spreads.
#pragma once

#include <array>

#include "planner/scenario/scenario.h"

namespace planner {

/// How far measured peaks lie from predicted ones.
struct MemoryError {
  double mean = 0, sd = 0;  // of log(measured / predicted)
};

MemoryError memory_error(const Scenario& scenario);
/// For the memory of hosts, without published runs: the error of a family without peaks.
MemoryError host_memory_error(const Scenario& scenario);

/// Verdict on a plan: probabilities below 5 % and from 95 % on have verdicts of their own.
enum class FitVerdict { fits, uncertain, does_not_fit };
inline constexpr std::array kFitVerdicts{"fits", "uncertain", "does not fit"};
inline constexpr double kLeastUncertain = 0.05, kLeastFitting = 0.95;
inline FitVerdict verdict_of(double probability) {
  if (probability >= kLeastFitting) return FitVerdict::fits;
  return probability < kLeastUncertain ? FitVerdict::does_not_fit : FitVerdict::uncertain;
}

double fit_probability(const MemoryError& error, double peak_bytes, double capacity_bytes);
/// Returns the largest predicted peak that fits a capacity with the probability: P(fits) >= p is peak <= this.
double most_bytes(const MemoryError& error, double probability, double capacity_bytes);

/// The use of one memory. `usable`: the largest peak that fits with the probability `goal.fit`.
struct MemoryUse {
  double peak_bytes = 0, capacity_bytes = 0, usable_bytes = 0;
  MemoryError error;  // of the peak

  double probability() const { return fit_probability(error, peak_bytes, capacity_bytes); }
  /// Whether it fits with less than the probability of `goal.fit`.
  bool overflows() const { return peak_bytes > usable_bytes; }
  /// The share by which the peak exceeds the usable memory; 0: it does not.
  double excess() const { return overflows() ? peak_bytes / usable_bytes - 1 : 0; }
  /// Whether its verdict is FitVerdict::fits, without the probability.
  bool surely_fits() const { return peak_bytes <= 0 || peak_bytes <= most_bytes(error, kLeastFitting, capacity_bytes); }
};

}  // namespace planner
