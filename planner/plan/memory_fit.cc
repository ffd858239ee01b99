#include "planner/plan/memory_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace planner {
namespace {

// Printed by tests/accuracy/memory_errors.py TRAINPLAN RUNS.csv COLD.csv (docs/accuracy.md):
// 101 peaks of 8 profiles
constexpr double kBetweenFamilies = 0.1328, kBetweenGroups = 0.0385, kWithinGroup = 0.0481;
constexpr MemoryFamily kFamilies[] = {
    {"automodel", {0.0211, 0.0751}},            // 2 peaks of 1 groups
    {"deepseek", {0.0019, 0.0520}},             // 22 peaks of 2 groups
    {"deepspeed", {0.0587, 0.0769}},            // 2 peaks of 1 groups
    {"megascale", {0.0019, 0.0520}},            // 22 peaks of 2 groups
    {"megatron-bridge", {0.0019, 0.0520}},      // 22 peaks of 2 groups
    {"megatron-core", {0.0019, 0.0520}},        // 22 peaks of 2 groups
    {"megatron-deepspeed", {0.0019, 0.0577}},   // 48 peaks of 6 groups
    {"nemo", {0.0019, 0.0520}},                 // 22 peaks of 2 groups
    {"nemo-mlperf", {0.0019, 0.0520}},          // 22 peaks of 2 groups
    {"other", {0.1322, 0.1858}},                // 4 peaks of 1 groups
    {"primus", {0.2419, 0.0735}},               // 3 peaks of 1 groups
    {"simumax-megatron", {0.0019, 0.0520}},     // 22 peaks of 2 groups
    {"torchtitan", {0.0211, 0.0751}},           // 2 peaks of 1 groups
    {"torchtitan-asynctp", {0.0940, 0.0982}},   // 7 peaks of 2 groups
    {"torchtitan-compile", {-0.0257, 0.0673}},  // 13 peaks of 4 groups
};

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

// A search asks for one probability, over and over.
double remembered_quantile(double p) {
  thread_local double of = 0.5, z = 0;
  if (p != of) z = quantile(p), of = p;
  return z;
}

}  // namespace

const MemoryErrors& memory_errors() {
  static constexpr MemoryErrors kErrors{
      .between_sd = kBetweenFamilies, .groups_sd = kBetweenGroups, .within_sd = kWithinGroup, .families = kFamilies};
  return kErrors;
}

MemoryError memory_error(const Scenario& s) {
  const MemoryErrors& errors = memory_errors();
  for (const MemoryFamily& family : errors.families)
    if (family.software == s.software.name) return family.error;
  return {.mean = 0, .sd = std::hypot(errors.between_sd, errors.groups_sd, errors.within_sd)};
}

double fit_probability(const MemoryError& error, double peak, double capacity) {
  if (peak <= 0) return 1;
  return normal((std::log(capacity / peak) - error.mean) / error.sd);
}

double most_bytes(const MemoryError& error, double probability, double capacity) {
  return capacity * std::exp(-error.mean - error.sd * remembered_quantile(probability));
}

}  // namespace planner
