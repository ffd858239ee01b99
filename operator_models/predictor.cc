#include "operator_models/predictor.h"

#include <algorithm>

#include "operator_models/concurrency.h"

namespace operator_models {

std::vector<double> features_of(const Gemm& g, const Device& device) {
  const SharedDevice shared(device);
  std::vector<double> x{static_cast<double>(g.m), static_cast<double>(g.n), static_cast<double>(g.k)};
  for (const int64_t degree : kDegrees) {
    if (degree == 1) continue;
    const KernelCounts c = shared.counts(g, shared.tuned_for(g, degree));
    x.insert(x.end(), {c.workgroups, c.occupancy, c.waves});
  }
  return x;
}

int64_t predicted_degree(const DegreePredictor& p, std::span<const double> features) {
  double most = 0;
  int64_t best = 1;
  for (size_t degree = 0; degree < kDegrees.size(); ++degree) {
    const auto weights = std::span(p.weights).subspan(degree * (features.size() + 1), features.size() + 1);
    double score = weights.back();
    for (size_t i = 0; i < features.size(); ++i) {
      const double range = p.most[i] - p.least[i];
      score += weights[i] * (range > 0 ? std::clamp((features[i] - p.least[i]) / range, 0.0, 1.0) : 0);
    }
    if (degree == 0 || score > most) most = score, best = kDegrees[degree];
  }
  return best;
}

}  // namespace operator_models
