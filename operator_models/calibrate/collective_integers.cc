#include "operator_models/calibrate/collective_integers.h"

#include <algorithm>
#include <cmath>

#include "operator_models/collective.h"

namespace operator_models {
namespace {

/// Seconds of the same message over the same ranks, by what is added.
struct Pair {
  std::vector<double> floats, integers;
};

double log_mean(const std::vector<double>& seconds) {
  double sum = 0;
  for (double s : seconds) sum += std::log(s);
  return sum / real(seconds.size());
}

std::map<double, Pair> pairs_of(const std::vector<const Sample*>& samples) {
  std::map<double, Pair> pairs;
  for (const Sample* s : samples) {
    Pair& pair = pairs[bytes_of(s->op)];
    (adds_integers(s->op) ? pair.integers : pair.floats).push_back(s->seconds);
  }
  return pairs;
}

}  // namespace

bool adds_integers(const Operator& op) {
  const auto* collective = std::get_if<Collective>(&op);
  return collective && adds_integers(*collective);
}

std::optional<double> integer_factor(const Cell& cell) {
  double sum = 0, weight = 0;
  for (const auto& [ranks, samples] : cell.groups) {
    double least = 1e300;
    for (const Sample* s : samples) least = std::min(least, s->seconds);
    for (const auto& [bytes, pair] : pairs_of(samples)) {
      if (pair.floats.empty() || pair.integers.empty()) continue;
      const double whole = log_mean(pair.floats), grows = 1 - std::min(1.0, least / std::exp(whole));
      sum += grows * (log_mean(pair.integers) - whole);
      weight += grows * grows;
    }
  }
  return weight > 0 ? std::optional(std::exp(sum / weight)) : std::nullopt;
}

}  // namespace operator_models
