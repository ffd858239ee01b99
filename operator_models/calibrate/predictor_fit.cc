#include "operator_models/calibrate/predictor_fit.h"

#include <cmath>

namespace operator_models {
namespace {

constexpr size_t kLeaveOut = 10;  // every tenth is left out, as the text's 10 % for testing
constexpr double kNear = 1.05;
constexpr int kSteps = 4000;
constexpr double kStep = 2, kPull = 1e-5, kMomentum = 0.9;

using Scores = std::array<double, kDegrees.size()>;

void set_ranges(DegreePredictor& p, std::span<const LabelledGemm> gemms) {
  p.least = p.most = gemms.front().features;
  for (const LabelledGemm& g : gemms)
    for (size_t i = 0; i < p.least.size(); ++i) {
      p.least[i] = std::min(p.least[i], g.features[i]);
      p.most[i] = std::max(p.most[i], g.features[i]);
    }
}

/// Probability of each degree (equation 7.1).
Scores probabilities(const std::vector<double>& weights, const std::vector<double>& x) {
  Scores p{};
  double most = -1e300, sum = 0;
  for (size_t d = 0; d < p.size(); ++d) {
    for (size_t i = 0; i < x.size(); ++i) p[d] += weights[d * x.size() + i] * x[i];
    most = std::max(most, p[d]);
  }
  for (double& score : p) sum += score = std::exp(score - most);
  for (double& score : p) score /= sum;
  return p;
}

/// Of the mean of -log(probability of the best degree).
std::vector<double> gradient(const std::vector<double>& weights, const std::vector<std::vector<double>>& rows,
                             std::span<const LabelledGemm> gemms) {
  std::vector<double> slope(weights.size(), 0);
  for (size_t r = 0; r < rows.size(); ++r) {
    const Scores p = probabilities(weights, rows[r]);
    for (size_t d = 0; d < p.size(); ++d) {
      const double miss = (p[d] - (d == gemms[r].degree() ? 1 : 0)) / real(rows.size());
      for (size_t i = 0; i < rows[r].size(); ++i) slope[d * rows[r].size() + i] += miss * rows[r][i];
    }
  }
  for (size_t i = 0; i < weights.size(); ++i) slope[i] += kPull * weights[i];
  return slope;
}

}  // namespace

DegreePredictor train_predictor(std::span<const LabelledGemm> gemms) {
  std::vector<LabelledGemm> trained, left_out;
  for (size_t i = 0; i < gemms.size(); ++i) ((i + 1) % kLeaveOut == 0 ? left_out : trained).push_back(gemms[i]);
  DegreePredictor p;
  set_ranges(p, gemms);
  std::vector<std::vector<double>> rows;
  for (const LabelledGemm& g : trained) rows.push_back(scaled(p, g.features));
  p.weights.assign(kDegrees.size() * rows.front().size(), 0);
  std::vector<double> speed(p.weights.size(), 0);
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double> slope = gradient(p.weights, rows, trained);
    for (size_t i = 0; i < p.weights.size(); ++i)
      p.weights[i] += speed[i] = kMomentum * speed[i] - kStep * (1 - kMomentum) * slope[i];
  }
  const std::span<const LabelledGemm> judged = left_out.empty() ? trained : left_out;
  p.accuracy = accuracy_of(p, judged, kDegrees.back());
  p.near_best = near_best_of(p, judged);
  return p;
}

double near_best_of(const DegreePredictor& p, std::span<const LabelledGemm> gemms) {
  if (gemms.empty()) return 0;
  const auto near = std::ranges::count_if(gemms, [&](const LabelledGemm& g) {
    const auto said = std::ranges::find(kDegrees, predicted_degree(p, g.features)) - kDegrees.begin();
    return g.rates[static_cast<size_t>(said)] * kNear >= std::ranges::max(g.rates);
  });
  return real(near) / real(gemms.size());
}

double accuracy_of(const DegreePredictor& p, std::span<const LabelledGemm> gemms, int64_t available) {
  if (gemms.empty()) return 0;
  const auto right = std::ranges::count_if(gemms, [&](const LabelledGemm& g) {
    return std::min(predicted_degree(p, g.features), available) == std::min(kDegrees[g.degree()], available);
  });
  return real(right) / real(gemms.size());
}

}  // namespace operator_models
