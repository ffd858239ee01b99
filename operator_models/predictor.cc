#include "operator_models/predictor.h"

#include <algorithm>

#include "operator_models/shared_device.h"

namespace operator_models {

std::vector<double> features_of(const Gemm& g, const Device& device) {
  const SharedDevice shared(device);
  std::vector<double> x{real(g.m), real(g.n), real(g.k)};
  const Candidates candidates = shared.candidates(g);
  for (const int64_t degree : kDegrees) {
    if (degree == 1) continue;
    const KernelCounts c = shared.counts(g, shared.fastest(g, candidates, degree));
    x.insert(x.end(), {c.workgroups, c.occupancy, c.waves});
  }
  return x;
}

std::vector<double> scaled(const DegreePredictor& p, std::span<const double> features) {
  std::vector<double> x;
  for (size_t i = 0; i < features.size(); ++i) {
    const double range = p.most[i] - p.least[i];
    x.push_back(range > 0 ? std::clamp((features[i] - p.least[i]) / range, 0.0, 1.0) : 0);
  }
  x.push_back(1);
  return x;
}

int64_t predicted_degree(const DegreePredictor& p, std::span<const double> features) {
  const std::vector<double> x = scaled(p, features);
  double most = 0;
  int64_t best = 1;
  for (size_t degree = 0; degree < kDegrees.size(); ++degree) {
    double score = 0;
    for (size_t i = 0; i < x.size(); ++i) score += p.weights[degree * x.size() + i] * x[i];
    if (degree == 0 || score > most) most = score, best = kDegrees[degree];
  }
  return best;
}

}  // namespace operator_models
