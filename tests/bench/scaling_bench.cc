// How many scaling models are fitted in a second on one core:
//
//     | models | points | fits | s | fits/s |
//
// default shapes, cross-validated; s: the best of five runs. A benchmark to read, not a test that fails.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "planner/scaling/fit_multi.h"
#include "planner/scaling/fit_single.h"

namespace {

using planner::scaling::SingleFitter;

constexpr int kRuns = 5;
const std::vector<double> kPoints = {4, 8, 16, 32, 64};

/// Another series for each `fit`: something of a square root under a ripple of 1 %.
double value(double x, int fit) { return 2 + std::sqrt(x) * (1 + 0.01 * std::sin(x + fit)); }

/// `run(n)` does n fits and returns something that depends on all of them.
void time_fits(const std::string& name, size_t points, int fits, const std::function<double(int)>& run) {
  double best = std::numeric_limits<double>::infinity(), kept = 0;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    kept += run(fits);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  if (!std::isfinite(kept)) fmt::print(stderr, "{}: a model is not finite\n", name);
  fmt::print("| {} | {} | {} | {:.3f} | {:.0f} |\n", name, points, fits, best, fits / best);
}

double fit_shared(int fits) {
  const SingleFitter fitter(kPoints);
  std::vector<double> values(kPoints.size());
  double sum = 0;
  for (int i = 0; i < fits; ++i) {
    for (size_t k = 0; k < kPoints.size(); ++k) values[k] = value(kPoints[k], i);
    sum += fitter.fit(values).model.constant;
  }
  return sum;
}

double fit_apart(int fits) {
  std::vector<double> values(kPoints.size());
  double sum = 0;
  for (int i = 0; i < fits; ++i) {
    for (size_t k = 0; k < kPoints.size(); ++k) values[k] = value(kPoints[k], i);
    sum += planner::scaling::fit_single(kPoints, values).model.constant;
  }
  return sum;
}

double fit_two_parameters(int fits) {
  std::vector<std::vector<double>> points;
  for (const double p : kPoints)
    for (const double n : kPoints) points.push_back({p, n});
  std::vector<double> values(points.size());
  double sum = 0;
  for (int i = 0; i < fits; ++i) {
    for (size_t k = 0; k < points.size(); ++k) values[k] = value(points[k][0], i) + points[k][1] * value(3, i);
    sum += planner::scaling::fit_multi(points, values).fit.model.constant;
  }
  return sum;
}

}  // namespace

int main() {
  fmt::print("| models | points | fits | s | fits/s |\n| --- | ---: | ---: | ---: | ---: |\n");
  time_fits("one parameter, same points for all", 5, 100000, fit_shared);
  time_fits("one parameter, points each", 5, 100000, fit_apart);
  time_fits("two parameters", 25, 1000, fit_two_parameters);
  return 0;
}
