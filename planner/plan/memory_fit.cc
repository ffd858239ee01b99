#include "planner/plan/memory_fit.h"

#include <cmath>
#include <numbers>

namespace planner {
namespace {

double normal(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

// Abramowitz and Stegun, 26.2.23, and a step of Newton's: within 1e-6.
double quantile(double p) {
  if (p > 0.5) return -quantile(1 - p);
  const double t = std::sqrt(-2 * std::log(p));
  const double z =
      (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return z - (normal(z) - p) / density;
}

// A search needs two probabilities repeatedly: the limits for keeping a plan, and for certainty.
double remembered_quantile(double p) {
  static const double fitting = quantile(kLeastFitting);
  if (p == kLeastFitting) return fitting;
  thread_local double of = 0.5, z = 0;
  if (p != of) z = quantile(p), of = p;
  return z;
}

}  // namespace

MemoryError host_memory_error(const Scenario& s) {
  const PeakErrors& errors = s.software.errors.memory;
  const PeakFamily none = errors.known({.run = errors.run});
  return {none.mean, none.sd};
}

MemoryError memory_error(const Scenario& s) {
  const PeakErrors& errors = s.software.errors.memory;
  for (const PeakFamily& f : errors.families)
    if (f.platform == s.cluster.gpu.platform) return {f.mean, f.sd};
  return host_memory_error(s);
}

double fit_probability(const MemoryError& error, double peak, double capacity) {
  if (peak <= 0) return 1;
  return normal((std::log(capacity / peak) - error.mean) / error.sd);
}

double most_bytes(const MemoryError& error, double probability, double capacity) {
  return capacity * std::exp(-error.mean - error.sd * remembered_quantile(probability));
}

}  // namespace planner
